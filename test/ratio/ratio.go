// Package ratio measures, for tests, how many times as long one thing takes as another. Machines differ, and do other work meanwhile;
// what two things take in turns in one process, each at its fastest, does not differ much.
package ratio

import (
	"os"
	"testing"
	"time"
)

// Variable is the environment variable without which tests of ratios are skipped: nothing else may run beside them. make ratios
// sets it.
const Variable = "AGENTHOST_RATIOS"

// turns is how often each of two things is done.
const turns = 40

// Of skips the test unless it runs alone, and otherwise does two things in turns and returns how many times as long the first takes, by
// the fastest time of each. They are to take some hundred microseconds or more.
func Of(t *testing.T, first, second func()) float64 {
	t.Helper()
	if os.Getenv(Variable) == "" || Race {
		t.Skipf("nothing may run beside it: make ratios sets %s", Variable)
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
