package meter_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/test/ratio"
)

// TestRatios checks that a meter does not cost too much. The limits are above the targets, 1.15 and 1.5, because machines do
// other work, and because the compiler may place code at a bad address.
func TestRatios(t *testing.T) { //nolint:paralleltest // time counts
	hold := func(workloads []workload, limit float64) {
		for _, w := range workloads {
			plain, with := start(t, w.code), start(t, metered(t, w.code))
			w.setup(t, plain)
			w.setup(t, with)
			got := ratio.Of(t, func() { w.run(t, with) }, func() { w.run(t, plain) })
			require.LessOrEqual(t, got, limit, "metered : not metered, %s", w.name)
		}
	}
	hold(tightWorkloads(), 1.6)
	hold(realWorkloads(t), 1.5)
}
