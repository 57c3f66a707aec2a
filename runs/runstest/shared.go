package runstest

import (
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/runs"
)

// Shared is two handles on one empty store, as two processes would have.
type Shared struct {
	A, B runs.Store
	// Deaf says that hints do not reach the other handle.
	Deaf bool
}

// RunShared tests stores that several processes may use at once.
func RunShared(t *testing.T, open func(t *testing.T) Shared) {
	t.Helper()
	for _, test := range []struct {
		name string
		run  func(c *check, s *Shared)
	}{
		{"both say that they are shared", func(c *check, s *Shared) { require.True(c.t, s.A.Shared() && s.B.Shared()) }},
		{"workers of both perform runs", func(c *check, s *Shared) { c.busyTogether(s.A, s.B) }},
		{"a run whose process died goes on elsewhere", (*check).takeover},
		{"a cancel reaches the other", (*check).cancelElsewhere},
		{"one of many runs gets a free thread", (*check).rejectTogether},
		{"many create a thread", (*check).createTogether},
		{"changes of a thread are not lost", (*check).changeTogether},
		{"versions are numbered over both", (*check).versionsTogether},
		{"each time of a schedule fires once", (*check).fireTogether},
		{"costs add up over both", (*check).spendTogether},
		{"hints reach the other", (*check).hintsElsewhere},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			test.run(&check{t: t, s: s.A}, &s)
		})
	}
}

// at returns the test with the other handle.
func (c *check) at(s runs.Store) *check { return &check{c.t, s, 1000 * (c.ids + 1)} }

func (c *check) takeover(s *Shared) {
	b, old, w := c.at(s.B), hasty("old"), worker("new")
	r := c.submitTo(c.id())
	next := c.submitTo(r.Thread)
	c.mine(old, r)
	before, err := s.A.Begin(c.ctx(), old, r.ID, 3)
	require.NoError(c.t, err)
	require.NoError(c.t, s.A.Append(c.ctx(), old, []runs.Event{anEvent(r.ID, 1)}))
	taken := b.takes(w, r)
	require.Equal(c.t, []any{2, before}, []any{taken.Attempt, taken.Before})
	require.NoError(c.t, s.A.Append(c.ctx(), old, []runs.Event{anEvent(r.ID, 2)}))
	require.NoError(c.t, s.B.Append(c.ctx(), w, []runs.Event{attemptEvent(r.ID, 2, 1)}))
	require.ErrorIs(c.t, s.A.Finish(c.ctx(), old, &runs.Outcome{Run: r.ID, Status: runs.Success}), runs.ErrNotClaimed)
	require.ErrorIs(c.t, s.A.Release(c.ctx(), old, r.ID), runs.ErrNotClaimed)
	require.Equal(c.t, []runs.Event{anEvent(r.ID, 1), attemptEvent(r.ID, 2, 1)}, c.readEvents(r.ID))
	require.Empty(c.t, c.claims(worker("v"), 10))
	b.succeed(w, r.ID)
	require.Equal(c.t, runs.Success, c.readRun(r.ID).Status)
	c.mine(worker("v"), next)
}

func (c *check) cancelElsewhere(s *Shared) {
	b, w := c.at(s.B), worker("w")
	r := c.submitTo(c.id())
	c.mine(w, r)
	c.submitTo(r.Thread)
	b.submitTo(r.Thread, func(r *runs.Run) { r.Strategy = runs.StrategyRollback })
	renewal, err := s.A.Renew(c.ctx(), w, []string{r.ID})
	require.NoError(c.t, err)
	require.Equal(c.t, map[string]runs.Cancel{r.ID: runs.CancelRollback}, renewal.Cancel)
}

// together lets both handles do the same at once, a number of times each, and returns their errors.
func together(s *Shared, times int, do func(s runs.Store, i int) error) []error {
	var all sync.WaitGroup
	errs := make([]error, 2*times)
	for i := range errs {
		all.Go(func() { errs[i] = do([]runs.Store{s.A, s.B}[i%2], i) })
	}
	all.Wait()
	return errs
}

// one holds that exactly one of several succeeded, and the others failed with an error.
func one(t *testing.T, errs []error, want error) {
	t.Helper()
	good := 0
	for _, err := range errs {
		if err == nil {
			good++
			continue
		}
		require.ErrorIs(t, err, want)
	}
	require.Equal(t, 1, good)
}

func (c *check) rejectTogether(s *Shared) {
	t := c.thread()
	base := c.ids
	submit := func(thread string, offset int) []error {
		return together(s, 4, func(s runs.Store, i int) error {
			r := &runs.Run{Owner: ann, ID: fmt.Sprint("run-", base, "-", offset+i), Thread: thread, Agent: "agent", Strategy: runs.StrategyReject}
			return s.Submit(c.ctx(), r, true, 0, nil)
		})
	}
	one(c.t, submit(t.ID, 0), runs.ErrThreadBusy)
	one(c.t, submit(c.id(), 100), runs.ErrThreadBusy)
}

func (c *check) createTogether(s *Shared) {
	id := c.id()
	one(c.t, together(s, 4, func(s runs.Store, _ int) error { return s.CreateThread(c.ctx(), &runs.Thread{Owner: ann, ID: id}) }), runs.ErrExists)
	thread := c.id()
	for _, err := range together(s, 4, func(s runs.Store, i int) error {
		return s.Submit(c.ctx(), &runs.Run{Owner: ann, ID: fmt.Sprint("run", i), Thread: thread, Agent: "agent"}, true, 0, nil)
	}) {
		require.NoError(c.t, err)
	}
	found, err := s.A.FindRuns(c.ctx(), ann, thread, &runs.RunQuery{})
	require.NoError(c.t, err)
	require.Len(c.t, found, 8)
	same := c.id()
	one(c.t, together(s, 4, func(s runs.Store, i int) error {
		return s.Submit(c.ctx(), &runs.Run{Owner: ann, ID: same, Thread: fmt.Sprint("thread", i), Agent: "agent"}, true, 0, nil)
	}), runs.ErrExists)
}

func (c *check) changeTogether(s *Shared) {
	t := c.thread()
	require.NoError(c.t, errors.Join(together(s, 10, func(s runs.Store, i int) error {
		_, err := s.ChangeThread(c.ctx(), ann, t.ID, func(t *runs.Thread) error { t.Metadata[strconv.Itoa(i)] = true; return nil })
		return err
	})...))
	require.Len(c.t, c.readThread(t.ID).Metadata, 20)
}

func (c *check) versionsTogether(s *Shared) {
	a := c.assistant()
	require.NoError(c.t, errors.Join(together(s, 5, func(s runs.Store, i int) error {
		_, err := s.ChangeAssistant(c.ctx(), ann, a.ID, func(a *runs.Assistant) error { a.Metadata[strconv.Itoa(i)] = true; return nil })
		return err
	})...))
	require.Equal(c.t, 11, c.readAssistant(a.ID).Version)
	require.Len(c.t, c.readAssistant(a.ID).Metadata, 10)
}

func (c *check) fireTogether(s *Shared) {
	const schedules, days = 6, 5
	for range schedules {
		c.schedule()
	}
	var mu sync.Mutex
	fired := map[string]int{}
	for day := range days {
		now := noon.AddDate(0, 0, day)
		require.NoError(c.t, errors.Join(together(s, 4, func(s runs.Store, _ int) error {
			rows, err := s.Fire(c.ctx(), now, 2, daily)
			mu.Lock()
			defer mu.Unlock()
			for i := range rows {
				fired[rows[i].ID+rows[i].Next.Format(time.RFC3339)]++
			}
			return err
		})...))
		for {
			rows := c.fires(now, 2, daily) // those that were locked
			for i := range rows {
				fired[rows[i].ID+rows[i].Next.Format(time.RFC3339)]++
			}
			if len(rows) == 0 {
				break
			}
		}
	}
	require.Len(c.t, fired, schedules*days)
	for at, n := range fired {
		require.Equal(c.t, 1, n, at)
	}
}

func (c *check) hintsElsewhere(s *Shared) {
	if s.Deaf {
		c.t.Skip("whoever uses the other handle looks by itself")
	}
	c.heard(c.listen(s.B))
}
