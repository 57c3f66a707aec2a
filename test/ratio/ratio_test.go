package ratio_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/test/ratio"
)

func TestOf(t *testing.T) {
	t.Setenv(ratio.Variable, "1")
	busy := func(d time.Duration) func() {
		return func() {
			for start := time.Now(); time.Since(start) < d; { //nolint:revive // it takes time
			}
		}
	}
	require.InDelta(t, 4, ratio.Of(t, busy(2*time.Millisecond), busy(500*time.Microsecond)), 0.5)
}
