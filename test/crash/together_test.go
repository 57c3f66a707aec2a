//go:build unix

package crash_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestTwoProcessesWantOneThread lets two processes try repeatedly to continue the same thread. Each run stops after
// each step, so that the thread passes from one process to the other. Everything must be done once, and the processes
// must never run tools at the same time. The test repeats until one process has blocked the other.
func TestTwoProcessesWantOneThread(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, fresh func(t *testing.T) string) {
		t.Helper()
		seed, address := seedOf(t), fresh(t)
		for n := range uint64(20) {
			saved, busy := together(t, address, seed+n)
			t.Logf("saved %d checkpoints, was in the way %d times", saved, busy)
			if saved[0] > 0 && saved[1] > 0 && busy > 0 {
				return
			}
		}
		t.Fatal("none was in the way of the other")
	})
}

// together runs one thread with two processes. It returns how many checkpoints each has saved, and how often one
// blocked the other.
func together(t *testing.T, address string, seed uint64) (saved [2]int, busy int) {
	t.Helper()
	l := newLife(t, newPlan(seed, full), nil)
	o := order{
		Role: roleTurn, Store: address, Dir: l.world.dir, Thread: fmt.Sprint(seed), Seed: seed, Shape: full, Lease: time.Minute,
	}
	var counts [2]map[string]int
	var both sync.WaitGroup
	for side := range counts {
		o.Side, counts[side] = side, map[string]int{}
		v := start(t, o)
		both.Go(func() {
			for r := range v.reports() {
				counts[side][r.Kind]++
			}
			v.ends()
		})
	}
	both.Wait()
	store, closer, err := openStore(t.Context(), o.Store, o.Lease)
	require.NoError(t, err)
	defer func() { require.NoError(t, closer.Close()) }()
	got, want := outcomeOf(t, store, o.Thread, l.world), undisturbed(t, l.plan)
	require.Zero(t, got.branches)
	l.check(want, got)
	require.Equal(t, want.effects.done, got.effects.done, "nobody has died, and nobody was asked")
	return [2]int{counts[0][isSaved], counts[1][isSaved]}, counts[0][isBusy] + counts[1][isBusy]
}
