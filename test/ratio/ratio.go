// Package ratio measures, for tests, how many times as long one operation takes as another. Machines differ and do other work
// meanwhile, but the ratio of two operations that alternate in one process, each at its fastest, is stable.
package ratio

import (
	"os"
	"testing"
	"time"
)

// Variable is the environment variable that enables tests of ratios. Nothing else may run at the same time. make ratios sets it.
const Variable = "AGENTHOST_RATIOS"

// turns is how often each operation runs.
const turns = 40

// Of skips the test unless [Variable] is set. It alternates two operations and returns how many times as long the first takes, by the
// fastest time of each. Each should take at least some hundred microseconds.
func Of(t *testing.T, first, second func()) float64 {
	t.Helper()
	if os.Getenv(Variable) == "" || Race {
		t.Skipf("run it alone, with make ratios, which sets %s", Variable)
	}
	best := [2]time.Duration{1 << 62, 1 << 62}
	for range turns {
		for i, do := range []func(){first, second} {
			start := time.Now()
			do()
			best[i] = min(best[i], time.Since(start))
		}
	}
	return float64(best[0]) / float64(best[1])
}
