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
	l := &ledger{all: clients * each, running: map[string]string{}, last: map[string]uint64{}, performed: map[string]int{}}
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
				if err := c.submitAndRead(a, b, threads[random.IntN(len(threads))], id); err != nil {
					return err
				}
			}
			return nil
		})
	}
	for i := range 4 {
		s, w := []runs.Store{a, b}[i%2], worker(fmt.Sprint("w", i))
		try(func() error {
			for !l.done() && time.Now().Before(deadline) {
				if err := c.performClaimed(s, w, l); err != nil {
					return err
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
	require.Len(c.t, l.performed, clients*each)
	seen := map[uint64]bool{}
	for _, client := range ids {
		for _, id := range client {
			require.Equal(c.t, 1, l.performed[id])
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

// ledger notes which runs were performed.
type ledger struct {
	all int // runs to perform

	mu        sync.Mutex
	running   map[string]string // thread to run
	last      map[string]uint64 // thread to number
	performed map[string]int
}

func (l *ledger) done() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.performed) == l.all
}

// begin notes that a run begins, and returns an error if it is not its turn.
func (l *ledger) begin(r *runs.Run) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	overlaps, late := l.running[r.Thread], r.Number <= l.last[r.Thread]
	l.running[r.Thread], l.last[r.Thread] = r.ID, r.Number
	if overlaps != "" || late {
		return fmt.Errorf("run %d of thread %s: overlaps with %q, late: %v", r.Number, r.Thread, overlaps, late)
	}
	return nil
}

func (l *ledger) end(r *runs.Run) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running[r.Thread] = ""
	l.performed[r.ID]++
}

func (c *check) submitAndRead(a, b runs.Store, thread, id string) error {
	r := &runs.Run{Owner: ann, ID: id, Thread: thread, Agent: "agent"}
	if err := a.Submit(c.ctx(), r, true, 0, func(t *runs.Thread) { t.Agent = id }); err != nil {
		return err
	}
	if _, err := b.ChangeThread(c.ctx(), ann, thread, func(t *runs.Thread) error { t.Metadata[id] = true; return nil }); err != nil {
		return err
	}
	_, _, err := b.FindThreads(c.ctx(), ann, &runs.ThreadQuery{Metadata: runs.Metadata{id: true}})
	return err
}

// performClaimed claims runs and performs them.
func (c *check) performClaimed(s runs.Store, w *runs.Worker, l *ledger) error {
	claimed, err := s.Claim(c.ctx(), w, 2)
	if err != nil {
		return err
	}
	for i := range claimed {
		if err := l.begin(&claimed[i]); err != nil {
			return err
		}
	}
	for i := range claimed {
		r := &claimed[i]
		if err := s.Append(c.ctx(), w, []runs.Event{anEvent(r.ID, 1), anEvent(r.ID, 2)}); err != nil {
			return err
		}
		l.end(r)
		err := s.Finish(c.ctx(), w, &runs.Outcome{
			Run: r.ID, Status: runs.Success, Events: []runs.Event{anEvent(r.ID, 3)}, Thread: func(t *runs.Thread) { t.Status = runs.ThreadIdle },
		})
		if err != nil {
			return err
		}
	}
	return nil
}
