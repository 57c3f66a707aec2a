package runstest

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/runs"
)

// fullThread returns a thread with all fields set.
func (c *check) fullThread() *runs.Thread {
	return &runs.Thread{
		Owner: ann, ID: c.id(), Metadata: runs.Metadata{"a": "b", "n": 1.5}, Config: runs.Document(`{"configurable": {}}`),
		Status: runs.ThreadInterrupted, Agent: "agent", Failure: &runs.Failure{Type: "model_error", Message: "no"},
		Waiting: []runs.Interrupt{{ID: "i1", Step: "tools", Value: runs.Document(`"may I?"`)}, {ID: "i2", Value: runs.Document(`null`)}},
		Stepped: time.UnixMicro(1_700_000_000_123_456).UTC(), Expiry: &runs.Expiry{After: 90 * time.Minute},
	}
}

func (c *check) createThread() {
	given := c.fullThread()
	want := given.Copy()
	before := time.Now().Add(-time.Minute)
	require.NoError(c.t, c.s.CreateThread(c.ctx(), given))
	require.Greater(c.t, given.Created, before)
	require.Equal(c.t, given.Created, given.Updated)
	want.Created, want.Updated = given.Created, given.Updated
	require.Equal(c.t, want, c.readThread(given.ID))
	require.ErrorIs(c.t, c.s.CreateThread(c.ctx(), given), runs.ErrExists)
	require.Equal(c.t, want, c.readThread(given.ID), "the second one changed nothing")

	_, err := c.s.Thread(c.ctx(), ann, missing)
	require.ErrorIs(c.t, err, runs.ErrNoThread)
	bare := &runs.Thread{Owner: ann, ID: c.id(), Waiting: given.Waiting}
	require.NoError(c.t, c.s.CreateThread(c.ctx(), bare))
	require.Equal(c.t, &runs.Thread{
		Owner: ann, ID: bare.ID, Metadata: runs.Metadata{}, Status: runs.ThreadIdle, Created: bare.Created, Updated: bare.Updated,
	}, c.readThread(bare.ID), "a status is idle if it is not given, and then nothing waits")
	require.ErrorIs(c.t, c.s.CreateThread(c.ctx(), &runs.Thread{Owner: ann, ID: c.id(), Status: runs.ThreadBusy}), runs.ErrInvalidValue)
}

func (c *check) changeThread() {
	old := c.thread()
	full := c.fullThread()
	changed, err := c.s.ChangeThread(c.ctx(), ann, old.ID, func(t *runs.Thread) error {
		require.Equal(c.t, runs.ThreadIdle, t.Status)
		t.Metadata["x"] = "y"
		metadata := t.Metadata
		*t = *full
		t.Owner, t.ID, t.Created, t.Updated, t.Metadata = bob, missing, time.Unix(1, 0), time.Unix(1, 0), metadata
		return nil
	})
	require.NoError(c.t, err)
	want := full.Copy()
	want.ID, want.Created, want.Updated, want.Metadata = old.ID, old.Created, changed.Updated, runs.Metadata{"x": "y"}
	require.Equal(c.t, want, changed)
	require.Equal(c.t, want, c.readThread(old.ID))
	require.False(c.t, changed.Updated.Before(old.Updated))

	failure := errors.New("no")
	_, err = c.s.ChangeThread(c.ctx(), ann, old.ID, func(t *runs.Thread) error {
		t.Agent = "another"
		return failure
	})
	require.Equal(c.t, failure, err, "it is returned as it is")
	require.Equal(c.t, want, c.readThread(old.ID))
	for _, bad := range []func(t *runs.Thread){
		func(t *runs.Thread) { t.Status = runs.ThreadBusy }, func(t *runs.Thread) { t.Config = runs.Document("{") },
		func(t *runs.Thread) { t.Metadata["a"] = 1 },
	} {
		_, err = c.s.ChangeThread(c.ctx(), ann, old.ID, func(t *runs.Thread) error { bad(t); return nil })
		require.ErrorIs(c.t, err, runs.ErrInvalidValue)
	}
	require.Equal(c.t, want, c.readThread(old.ID))
	_, err = c.s.ChangeThread(c.ctx(), ann, missing, func(*runs.Thread) error { panic("it does not exist") })
	require.ErrorIs(c.t, err, runs.ErrNoThread)

	_, err = c.s.ChangeThread(c.ctx(), ann, old.ID, func(t *runs.Thread) error { t.Status, t.Expiry = runs.ThreadIdle, nil; return nil })
	require.NoError(c.t, err)
	require.Empty(c.t, c.readThread(old.ID).Waiting, "nothing waits in a thread that is not interrupted")
	require.Nil(c.t, c.readThread(old.ID).Expiry)
}

// busyThread holds that a thread comes back to the status that it had without its runs.
func (c *check) busyThread() {
	waiting := []runs.Interrupt{{ID: "i", Step: "tools", Value: runs.Document(`1`)}}
	asks := c.thread(func(t *runs.Thread) { t.Status, t.Waiting = runs.ThreadInterrupted, waiting })
	first := c.submitTo(asks.ID)
	busy := c.readThread(asks.ID)
	require.Equal(c.t, runs.ThreadBusy, busy.Status)
	require.Empty(c.t, busy.Waiting)
	_, err := c.s.ChangeThread(c.ctx(), ann, asks.ID, func(t *runs.Thread) error {
		require.Equal(c.t, runs.ThreadBusy, t.Status)
		t.Metadata["a"] = true
		return nil
	})
	require.NoError(c.t, err)
	_, err = c.s.Cancel(c.ctx(), ann, first.ID, runs.CancelKeep)
	require.NoError(c.t, err)
	after := c.readThread(asks.ID)
	require.Equal(c.t, []any{runs.ThreadInterrupted, waiting, runs.Metadata{"a": true}}, []any{after.Status, after.Waiting, after.Metadata})

	second := c.submitTo(asks.ID)
	changed, err := c.s.ChangeThread(c.ctx(), ann, asks.ID, func(t *runs.Thread) error { t.Status = runs.ThreadFailed; return nil })
	require.NoError(c.t, err)
	require.Equal(c.t, runs.ThreadBusy, changed.Status, "it is busy as long as it has a run")
	require.NoError(c.t, c.s.DeleteRun(c.ctx(), ann, second.ID))
	require.Equal(c.t, runs.ThreadFailed, c.readThread(asks.ID).Status)
}

func threadIDs(threads []runs.Thread) []string {
	ids := []string{}
	for i := range threads {
		ids = append(ids, threads[i].ID)
	}
	return ids
}

func (c *check) findThreads() {
	red := c.thread(func(t *runs.Thread) {
		t.Metadata = runs.Metadata{"color": "red", "tags": []any{"a", "b"}, "user": map[string]any{"n": 1.0, "x": nil}}
	})
	blue := c.thread(func(t *runs.Thread) { t.Metadata = runs.Metadata{"color": "blue", "tags": []any{"b"}} })
	hidden := c.thread(func(t *runs.Thread) { t.Metadata, t.Temporary = runs.Metadata{"color": "red"}, true })
	require.True(c.t, c.readThread(hidden.ID).Temporary, "lists leave it out, and it can be read")
	asks := c.thread(func(t *runs.Thread) { t.Status, t.Agent = runs.ThreadInterrupted, "z" })
	busy := c.submitTo(c.id()).Thread
	failed := c.thread(func(t *runs.Thread) { t.Status, t.Agent = runs.ThreadFailed, "a" })
	for _, test := range []struct {
		query runs.ThreadQuery
		want  []string
	}{
		{runs.ThreadQuery{}, []string{red.ID, blue.ID, asks.ID, busy, failed.ID}},
		{runs.ThreadQuery{IDs: []string{blue.ID, missing, "no id", red.ID}}, []string{red.ID, blue.ID}},
		{runs.ThreadQuery{IDs: []string{}}, []string{}},
		{runs.ThreadQuery{Metadata: runs.Metadata{"color": "red"}}, []string{red.ID}},
		{runs.ThreadQuery{Metadata: runs.Metadata{"tags": []any{"b"}}}, []string{red.ID, blue.ID}},
		{runs.ThreadQuery{Metadata: runs.Metadata{"user": map[string]any{"x": nil}}}, []string{red.ID}},
		{runs.ThreadQuery{Metadata: runs.Metadata{"color": "red"}, IDs: []string{blue.ID}}, []string{}},
		{runs.ThreadQuery{Metadata: runs.Metadata{"color": "Red"}}, []string{}},
		{runs.ThreadQuery{Status: runs.ThreadIdle}, []string{red.ID, blue.ID}},
		{runs.ThreadQuery{Status: runs.ThreadBusy}, []string{busy}},
		{runs.ThreadQuery{Status: runs.ThreadInterrupted}, []string{asks.ID}},
		{runs.ThreadQuery{Status: runs.ThreadFailed, Metadata: runs.Metadata{}}, []string{failed.ID}},
	} {
		test.query.Sort, test.query.Ascending = runs.SortID, true
		page, total, err := c.s.FindThreads(c.ctx(), ann, &test.query)
		require.NoError(c.t, err)
		require.Equal(c.t, test.want, threadIDs(page), "%+v", test.query)
		require.Equal(c.t, len(test.want), total)
	}
	page, _, err := c.s.FindThreads(c.ctx(), ann, &runs.ThreadQuery{IDs: []string{red.ID}})
	require.NoError(c.t, err)
	require.Equal(c.t, []runs.Thread{*c.readThread(red.ID)}, page, "a list has whole threads")
	c.sorted(ann, asks.ID)
}

// sorted holds the order of all threads of an owner.
func (c *check) sorted(owner, changed string) {
	_, err := c.s.ChangeThread(c.ctx(), owner, changed, func(t *runs.Thread) error { t.Stepped = time.Unix(1_700_000_000, 0); return nil })
	require.NoError(c.t, err)
	for sort, less := range map[runs.Sort]func(a, b *runs.Thread) int{
		"":               func(a, b *runs.Thread) int { return a.Created.Compare(b.Created) },
		runs.SortID:      func(a, b *runs.Thread) int { return compareText(a.ID, b.ID) },
		runs.SortCreated: func(a, b *runs.Thread) int { return a.Created.Compare(b.Created) },
		runs.SortUpdated: func(a, b *runs.Thread) int { return a.Updated.Compare(b.Updated) },
		runs.SortStepped: func(a, b *runs.Thread) int { return a.Stepped.Compare(b.Stepped) },
		runs.SortStatus:  func(a, b *runs.Thread) int { return compareText(string(a.Status), string(b.Status)) },
		runs.SortAgent:   func(a, b *runs.Thread) int { return compareText(a.Agent, b.Agent) },
	} {
		for _, ascending := range []bool{true, false} {
			page, _, err := c.s.FindThreads(c.ctx(), owner, &runs.ThreadQuery{Page: runs.Page{Sort: sort, Ascending: ascending}})
			require.NoError(c.t, err)
			require.True(c.t, slices.IsSortedFunc(page, func(a, b runs.Thread) int {
				order := less(&a, &b)
				if !ascending {
					order = -order
				}
				if order == 0 {
					order = compareText(a.ID, b.ID)
				}
				return order
			}), "by %q, ascending %v: %+v", sort, ascending, page)
		}
	}
}

func compareText(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	default:
		return 0
	}
}

func (c *check) pageThreads() {
	const n = 25
	for range n {
		c.thread(func(t *runs.Thread) { t.Agent = fmt.Sprint("agent", c.ids%3) })
	}
	find := func(p runs.Page) []string {
		page, total, err := c.s.FindThreads(c.ctx(), ann, &runs.ThreadQuery{Page: p})
		require.NoError(c.t, err)
		require.Equal(c.t, n, total)
		return threadIDs(page)
	}
	require.Len(c.t, find(runs.Page{}), runs.DefaultPage)
	require.Len(c.t, find(runs.Page{Limit: 1 << 40}), n)
	require.Empty(c.t, find(runs.Page{Offset: n}))
	require.Empty(c.t, find(runs.Page{Offset: 1 << 40}), "the total does not depend on the page")
	for _, sort := range []runs.Sort{"", runs.SortAgent, runs.SortStatus, runs.SortStepped, runs.SortUpdated} {
		all, pages := find(runs.Page{Limit: n, Sort: sort}), []string{}
		for offset := 0; offset < n; offset += 4 {
			pages = append(pages, find(runs.Page{Limit: 4, Offset: offset, Sort: sort})...)
		}
		require.Equal(c.t, all, pages, "by %q: the order is the same on all pages", sort)
	}
}

func (c *check) deleteThread() {
	t := c.thread()
	first, second := c.submitTo(t.ID), c.submitTo(t.ID)
	w := worker("w")
	c.mine(w, first)
	require.ErrorIs(c.t, c.s.DeleteThread(c.ctx(), ann, t.ID), runs.ErrThreadBusy)
	require.NoError(c.t, c.s.Append(c.ctx(), w, []runs.Event{anEvent(first.ID, 1)}))
	c.succeed(w, first.ID)
	require.NoError(c.t, c.s.DeleteThread(c.ctx(), ann, t.ID), "the second run only waits")
	require.ErrorIs(c.t, c.s.DeleteThread(c.ctx(), ann, t.ID), runs.ErrNoThread)
	_, err := c.s.Thread(c.ctx(), ann, t.ID)
	require.ErrorIs(c.t, err, runs.ErrNoThread)
	for _, r := range []*runs.Run{first, second} {
		_, err := c.s.Run(c.ctx(), ann, r.ID)
		require.ErrorIs(c.t, err, runs.ErrNoRun)
		_, err = c.s.Events(c.ctx(), ann, r.ID, 0, 1)
		require.ErrorIs(c.t, err, runs.ErrNoRun)
	}
	require.Empty(c.t, c.claims(w, 10))
	again := &runs.Thread{Owner: ann, ID: t.ID}
	require.NoError(c.t, c.s.CreateThread(c.ctx(), again), "the id is free")
	found, err := c.s.FindRuns(c.ctx(), ann, t.ID, &runs.RunQuery{})
	require.NoError(c.t, err)
	require.Empty(c.t, found)
}
