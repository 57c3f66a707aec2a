//go:build unix

package crash_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestTwoProcessesWantOneThread lets two processes try again and again to lead the same thread on. Each run stops after
// each step, so that the thread goes from one to the other. All is done once, and never does one run a tool while the
// other does.
func TestTwoProcessesWantOneThread(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, fresh func(t *testing.T) string) {
		t.Helper()
		seed := seedOf(t)
		l := newLife(t, newPlan(seed, full), nil)
		o := order{
			Role: roleTurn, Store: fresh(t), Dir: l.world.dir, Thread: "t", Seed: seed, Shape: full, Lease: time.Minute,
		}
		counts := [2]map[string]int{{}, {}}
		done := make(chan struct{})
		for side := range counts {
			o.Side = side
			v := start(t, o)
			go func() {
				defer func() { done <- struct{}{} }()
				for r := range v.reports() {
					counts[side][r.Kind]++
				}
				v.ends()
			}()
		}
		<-done
		<-done
		store, closer, err := openStore(t.Context(), o.Store, o.Lease)
		require.NoError(t, err)
		defer func() { require.NoError(t, closer.Close()) }()
		got, want := outcomeOf(t, store, "t", l.world), undisturbed(t, l.plan)
		require.Zero(t, got.branches)
		l.check(want, got)
		require.Equal(t, want.effects, got.effects, "nobody has died, and nobody was asked")
		for side := range counts {
			require.Positive(t, counts[side][isSaved], "one has done all")
		}
		require.Positive(t, counts[0][isBusy]+counts[1][isBusy], "none was in the way of the other")
		t.Logf("saved %d and %d checkpoints, was %d and %d times in the way",
			counts[0][isSaved], counts[1][isSaved], counts[1][isBusy], counts[0][isBusy])
	})
}
