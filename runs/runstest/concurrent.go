package runstest

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/runs"
)

func (c *check) concurrent() { c.busyTogether(c.s, c.s) }

// traffic is clients that submit runs, and workers that perform them.
type traffic struct {
	c        *check
	threads  []string
	all      int // runs
	deadline time.Time

	mu        sync.Mutex
	running   map[string]string // thread to run
	last      map[string]uint64 // thread to number
	performed map[string]int    // runs
}

// busyTogether lets workers at two handles perform runs while clients submit and read, and holds that each run is performed once, that no
// two runs of a thread overlap, and that they are performed in their order.
func (c *check) busyTogether(a, b runs.Store) {
	const clients, each = 4, 8
	t := &traffic{
		c: c, threads: []string{c.id(), c.id(), c.id()}, all: clients * each, deadline: time.Now().Add(patience),
		running: map[string]string{}, last: map[string]uint64{}, performed: map[string]int{},
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
	var ids []string
	for i := range clients {
		var own []string
		for range each {
			own = append(own, c.id())
		}
		ids = append(ids, own...)
		try(func() error { return t.client(a, b, own, rand.New(rand.NewPCG(1, uint64(i)))) })
	}
	for i := range 4 {
		try(func() error { return t.worker([]runs.Store{a, b}[i%2], worker(fmt.Sprint("w", i))) })
	}
	all.Wait()
	close(failures)
	for err := range failures {
		require.NoError(c.t, err)
	}
	require.Len(c.t, t.performed, len(ids))
	numbers := map[uint64]bool{}
	for _, id := range ids {
		require.Equal(c.t, 1, t.performed[id])
		r := c.readRun(id)
		require.Equal(c.t, []any{runs.Success, 1}, []any{r.Status, r.Attempt})
		numbers[r.Number] = true
		require.Equal(c.t, []uint64{1, 2, 3}, seqs(c.readEvents(id)))
		require.Contains(c.t, c.readThread(r.Thread).Metadata, id, "no change of a thread is lost")
		require.Equal(c.t, runs.ThreadIdle, c.readThread(r.Thread).Status)
	}
	require.Len(c.t, numbers, len(ids))
}

// client submits runs to random threads.
func (t *traffic) client(a, b runs.Store, ids []string, random *rand.Rand) error {
	ctx := t.c.ctx()
	for _, id := range ids {
		r := &runs.Run{Owner: ann, ID: id, Thread: t.threads[random.IntN(len(t.threads))], Agent: "agent"}
		if err := a.Submit(ctx, r, true, 0, func(t *runs.Thread) { t.Agent = id }); err != nil {
			return err
		}
		if _, err := b.ChangeThread(ctx, ann, r.Thread, func(t *runs.Thread) error { t.Metadata[id] = true; return nil }); err != nil {
			return err
		}
		if _, _, err := b.FindThreads(ctx, ann, &runs.ThreadQuery{Metadata: runs.Metadata{id: true}}); err != nil {
			return err
		}
	}
	return nil
}

// worker performs runs until all have been.
func (t *traffic) worker(s runs.Store, w *runs.Worker) error {
	for !t.done() && time.Now().Before(t.deadline) {
		claimed, err := s.Claim(t.c.ctx(), w, 2)
		if err != nil {
			return err
		}
		for i := range claimed {
			if err := t.begin(&claimed[i]); err != nil {
				return err
			}
		}
		for i := range claimed {
			if err := t.perform(s, w, &claimed[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *traffic) done() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.performed) == t.all
}

// begin notes that a run is running, which may not overlap with another of its thread.
func (t *traffic) begin(r *runs.Run) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if other := t.running[r.Thread]; other != "" || r.Number <= t.last[r.Thread] {
		return fmt.Errorf("run %d of thread %s follows %d and overlaps with %q", r.Number, r.Thread, t.last[r.Thread], other)
	}
	t.running[r.Thread], t.last[r.Thread] = r.ID, r.Number
	return nil
}

func (t *traffic) perform(s runs.Store, w *runs.Worker, r *runs.Run) error {
	if err := s.Append(t.c.ctx(), w, []runs.Event{anEvent(r.ID, 1), anEvent(r.ID, 2)}); err != nil {
		return err
	}
	t.mu.Lock()
	t.running[r.Thread] = ""
	t.performed[r.ID]++
	t.mu.Unlock()
	return s.Finish(t.c.ctx(), w, &runs.Outcome{
		Run: r.ID, Status: runs.Success, Events: []runs.Event{anEvent(r.ID, 3)}, Thread: func(t *runs.Thread) { t.Status = runs.ThreadIdle },
	})
}
