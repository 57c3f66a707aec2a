package evaluate_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/cases/evaluate"
)

// The values are those of R: binom.confint(x, n, methods = "wilson").
func TestWilsonsInterval(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		hits, of     int
		lower, upper float64
	}{
		{0, 10, 0, 0.2775}, {10, 10, 0.7225, 1}, {5, 10, 0.2366, 0.7634}, {81, 263, 0.2553, 0.3662}, {1, 29, 0.0061, 0.1718},
	} {
		rate := evaluate.RateOf(test.hits, test.of)
		require.InDelta(t, test.lower, rate.Lower, 1e-4)
		require.InDelta(t, test.upper, rate.Upper, 1e-4)
		require.InDelta(t, float64(test.hits)/float64(test.of), rate.Rate, 1e-9)
	}
	require.Equal(t, evaluate.Rate{Upper: 1}, evaluate.RateOf(0, 0))
	require.True(t, evaluate.RateOf(0, 20).Differs(evaluate.RateOf(20, 20)))
	require.False(t, evaluate.RateOf(9, 20).Differs(evaluate.RateOf(12, 20)))
}
