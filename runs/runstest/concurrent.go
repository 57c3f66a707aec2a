package runstest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/runs"
)

func (c *check) concurrent() { c.busyTogether(c.s, c.s) }

// busyTogether lets workers at two handles perform runs while clients submit and read, and holds that each run is performed once, that no
// two runs of a thread overlap, and that they are performed in their order.
func (c *check) busyTogether(a, b runs.Store) {
	const clients, each = 4, 8
	threads := []string{c.id(), c.id(), c.id()}
	ids := make([][]string, clients)
	for i := range ids {
		for range each {
			ids[i] = append(ids[i], c.id())
		}
	}
	var mu sync.Mutex
	running := map[string]string{} // thread to run
	last := map[string]uint64{}    // thread to number
	performed := map[string]int{}
	done := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(performed) == clients*each
	}
	var all sync.WaitGroup
	failures := make(chan error, 100)
	try := func(do func() error) {
		all.Go(func() {
			if err := do(); err != nil {
				failures <- err
			}
		})
	}
	deadline := time.Now().Add(patience)
	for i := range clients {
		random := rand.New(rand.NewPCG(1, uint64(i)))
		try(func() error {
			for _, id := range ids[i] {
				r := &runs.Run{Owner: ann, ID: id, Thread: threads[random.IntN(len(threads))], Agent: "agent"}
				if err := a.Submit(c.ctx(), r, true, 0, func(t *runs.Thread) { t.Agent = id }); err != nil {
					return err
				}
				if _, err := b.ChangeThread(c.ctx(), ann, r.Thread, func(t *runs.Thread) error { t.Metadata[id] = true; return nil }); err != nil {
					return err
				}
				if _, _, err := b.FindThreads(c.ctx(), ann, &runs.ThreadQuery{Metadata: runs.Metadata{id: true}}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	for i := range 4 {
		s, w := []runs.Store{a, b}[i%2], worker(fmt.Sprint("w", i))
		try(func() error {
			for !done() && time.Now().Before(deadline) {
				claimed, err := s.Claim(c.ctx(), w, 2)
				if err != nil {
					return err
				}
				for _, r := range claimed {
					mu.Lock()
					overlaps, late := running[r.Thread], r.Number <= last[r.Thread]
					running[r.Thread], last[r.Thread] = r.ID, r.Number
					mu.Unlock()
					if overlaps != "" || late {
						return fmt.Errorf("run %d of thread %s: overlaps with %q, late: %v", r.Number, r.Thread, overlaps, late)
					}
				}
				for _, r := range claimed {
					events := []runs.Event{anEvent(r.ID, 1), anEvent(r.ID, 2)}
					if err := errors.Join(s.Append(c.ctx(), w, events)); err != nil {
						return err
					}
					mu.Lock()
					running[r.Thread] = ""
					performed[r.ID]++
					mu.Unlock()
					err := s.Finish(c.ctx(), w, &runs.Outcome{
						Run: r.ID, Status: runs.Success, Events: []runs.Event{anEvent(r.ID, 3)}, Thread: func(t *runs.Thread) { t.Status = runs.ThreadIdle },
					})
					if err != nil {
						return err
					}
				}
			}
			return nil
		})
	}
	all.Wait()
	close(failures)
	for err := range failures {
		require.NoError(c.t, err)
	}
	require.Len(c.t, performed, clients*each)
	seen := map[uint64]bool{}
	for _, client := range ids {
		for _, id := range client {
			require.Equal(c.t, 1, performed[id])
			r := c.readRun(id)
			require.Equal(c.t, []any{runs.Success, 1}, []any{r.Status, r.Attempt})
			require.False(c.t, seen[r.Number])
			seen[r.Number] = true
			require.Equal(c.t, []uint64{1, 2, 3}, seqs(c.readEvents(id)))
			require.Contains(c.t, c.readThread(r.Thread).Metadata, id, "no change of a thread is lost")
			require.Equal(c.t, runs.ThreadIdle, c.readThread(r.Thread).Status)
		}
	}
}
