//go:build unix

package crash_test

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
)

// stopped is a process that was stopped while it ran a tool, until its lease had expired.
type stopped struct {
	*victim

	order order
	store checkpoint.Store
	world *world
}

// nap is the lease of a process that is stopped. It is longer than other leases, so that the process does not lose it
// before the stop on a busy machine.
const nap = 2 * lease

// stop starts a process and stops it in its first tool call. It returns after the lease has expired.
func stop(t *testing.T, address string) *stopped {
	t.Helper()
	s := &stopped{world: &world{dir: t.TempDir()}}
	s.order = order{Role: roleHeld, Store: address, Dir: s.world.dir, Thread: "t", Lease: nap}
	store, closer, err := openStore(t.Context(), address, nap)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, closer.Close()) })
	s.store = store
	s.victim = start(t, s.order)
	s.until("holds first")
	require.True(t, s.busy())
	s.signal(syscall.SIGSTOP)
	require.Eventually(t, func() bool { return !s.busy() }, 20*nap, nap/20)
	return s
}

// busy reports whether somebody has the thread.
func (s *stopped) busy() bool {
	infos, err := s.store.Find(s.t.Context(), checkpoint.Query{})
	require.NoError(s.t, err)
	require.Len(s.t, infos, 1)
	return infos[0].State == checkpoint.Running
}

// records returns the checkpoints of the thread, as they are stored.
func (s *stopped) records() (out []string) {
	for r, err := range checkpoint.All(s.t.Context(), s.store, "t") {
		require.NoError(s.t, err)
		doc, err := r.Encode()
		require.NoError(s.t, err)
		out = append(out, fmt.Sprintf("%d behind %d: %x", r.ID, r.Parent, sha256.Sum256(doc)))
	}
	return out
}

// wake lets the process continue. The process must find that its lease is lost, and save nothing.
func (s *stopped) wake() {
	s.signal(syscall.SIGCONT)
	var kinds []string
	for r := range s.reports() {
		kinds = append(kinds, r.Kind)
	}
	s.ends()
	require.Contains(s.t, kinds, isLost)
	require.NotContains(s.t, kinds, isSaved)
	require.NotContains(s.t, kinds, isJournalled)
}

// replaced starts another process, which does the remaining work.
func (s *stopped) replaced() {
	o := s.order
	o.Role = roleSend
	v := start(s.t, o)
	asks := 0
	for r := range v.reports() {
		if r.Kind == isAsking {
			asks++
			require.Equal(s.t, toolSend, r.Asks[0].Unfinished)
			require.Equal(s.t, "first", r.Asks[0].Call)
			v.give([]host.Answer{{Value: "retry"}})
		}
	}
	v.ends()
	require.Equal(s.t, 1, asks)
}

// TestAProcessThatSleptLosesItsThread stops a process for longer than its lease. Another process takes the thread, and
// nothing that the first one does afterwards has an effect.
func TestAProcessThatSleptLosesItsThread(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, fresh func(t *testing.T) string) {
		t.Helper()
		for name, goesOn := range map[string]bool{"its tool gives up": false, "its tool goes on": true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s := stop(t, fresh(t))
				s.replaced()
				before := s.records()
				if goesOn {
					s.goOn()
				}
				s.wake()
				require.Equal(t, before, s.records())
				o := outcomeOf(t, s.store, "t", s.world)
				require.Equal(t, 1, o.effects.done["second"])
				require.Contains(t, []int{1, 2}, o.effects.done["first"], "a person had it done again")
				require.False(t, s.busy())
			})
		}
	})
}

// TestAProcessThatSleptKeepsAThreadThatNobodyWants lets the lease expire without another process that takes the thread.
func TestAProcessThatSleptKeepsAThreadThatNobodyWants(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, fresh func(t *testing.T) string) {
		t.Helper()
		s := stop(t, fresh(t))
		s.goOn()
		s.goOn()
		s.signal(syscall.SIGCONT)
		var kinds []string
		for r := range s.reports() {
			kinds = append(kinds, r.Kind)
		}
		s.ends()
		require.False(t, slices.Contains(kinds, isLost))
		o := outcomeOf(t, s.store, "t", s.world)
		require.Equal(t, map[string]int{"first": 1, "second": 1}, o.effects.done)
	})
}
