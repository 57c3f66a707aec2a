package runstest

import (
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/runs"
)

func (c *check) events() {
	a, b, w := c.submitTo(c.id()), c.submitTo(c.id()), worker("w")
	require.Empty(c.t, c.readEvents(a.ID))
	c.claims(w, 2)
	require.NoError(c.t, c.s.Append(c.ctx(), w, nil))
	batch := []runs.Event{anEvent(a.ID, 1), anEvent(b.ID, 1), anEvent(a.ID, 2), anEvent(b.ID, 2), anEvent(a.ID, 5)}
	batch[0].Data, batch[2].Time = nil, time.Time{}
	require.NoError(c.t, c.s.Append(c.ctx(), w, batch))
	require.Equal(c.t, []runs.Event{batch[0], batch[2], batch[4]}, c.readEvents(a.ID), "an event comes back as it was")
	require.Equal(c.t, []runs.Event{batch[1], batch[3]}, c.readEvents(b.ID))

	read := func(after uint64, limit int) []uint64 {
		events, err := c.s.Events(c.ctx(), ann, a.ID, after, limit)
		require.NoError(c.t, err)
		return seqs(events)
	}
	from := runs.FirstSeq(1)
	require.Equal(c.t, []uint64{1, 2, 5}, read(from, 10))
	require.Equal(c.t, []uint64{2, 5}, read(from+1, 10))
	require.Equal(c.t, []uint64{5}, read(from+3, 10))
	require.Empty(c.t, read(from+5, 10))
	require.Empty(c.t, read(runs.FirstSeq(2), 10))
	require.Empty(c.t, read(1<<64-1, 10))
	require.Equal(c.t, []uint64{1, 2}, read(0, 2))
	require.Equal(c.t, []uint64{1, 2, 5}, read(0, -1))

	other := anEvent(a.ID, 2)
	other.Type = "again"
	require.NoError(c.t, c.s.Append(c.ctx(), w, []runs.Event{other, anEvent(a.ID, 3), anEvent(a.ID, 3)}), "it can be repeated")
	require.Equal(c.t, []uint64{1, 2, 3, 5}, read(0, 0))
	require.Equal(c.t, "step", c.readEvents(a.ID)[1].Type, "what is there stays")
	bad := anEvent(b.ID, 4)
	bad.Type = ""
	require.ErrorIs(c.t, c.s.Append(c.ctx(), w, []runs.Event{anEvent(b.ID, 3), bad}), runs.ErrInvalidValue)
	require.Equal(c.t, []uint64{1, 2}, seqs(c.readEvents(b.ID)), "all or none")
	_, err := c.s.Events(c.ctx(), ann, missing, 0, 1)
	require.ErrorIs(c.t, err, runs.ErrNoRun)
}

func (c *check) manyEvents() {
	r, w := c.submitTo(c.id()), worker("w")
	c.mine(w, r)
	const n = runs.MaxPage + 10
	var batch []runs.Event
	for i := 1; i <= n; i++ {
		batch = append(batch, anEvent(r.ID, i))
	}
	require.NoError(c.t, c.s.Append(c.ctx(), w, batch))
	require.Len(c.t, c.readEvents(r.ID), runs.MaxPage)
	var all []runs.Event
	for {
		last := uint64(0)
		if len(all) > 0 {
			last = all[len(all)-1].Seq
		}
		events, err := c.s.Events(c.ctx(), ann, r.ID, last, 333)
		require.NoError(c.t, err)
		if len(events) == 0 {
			break
		}
		all = append(all, events...)
	}
	require.Equal(c.t, batch, all)

	large := c.submitTo(c.id())
	c.mine(w, large)
	text := runs.Document(`"` + strings.Repeat("x", runs.MaxEvents/2) + `"`)
	for i := 1; i <= 4; i++ {
		e := anEvent(large.ID, i)
		if e.Data = text; i == 4 {
			e.Data = slices.Concat(text[:len(text)-1], text[1:]) // more than fits
		}
		require.NoError(c.t, c.s.Append(c.ctx(), w, []runs.Event{e}))
	}
	last, pieces := uint64(0), []uint64{}
	for range 4 {
		events, err := c.s.Events(c.ctx(), ann, large.ID, last, 10)
		require.NoError(c.t, err)
		pieces = append(pieces, seqs(events)...)
		require.Len(c.t, events, 1)
		last = events[0].Seq
	}
	require.Equal(c.t, []uint64{1, 2, 3, 4}, pieces)
}

func (c *check) fencedEvents() {
	r, kept, old, w := c.submitTo(c.id()), c.submitTo(c.id()), hasty("old"), worker("new")
	c.mine(old, r)
	require.NoError(c.t, c.s.Append(c.ctx(), old, []runs.Event{anEvent(r.ID, 1)}))
	c.takes(w, r)
	old.Lease = time.Hour
	c.mine(old, kept)
	require.NoError(c.t, c.s.Append(c.ctx(), old, []runs.Event{anEvent(r.ID, 2), anEvent(kept.ID, 1), attemptEvent(r.ID, 2, 1)}))
	require.NoError(c.t, c.s.Append(c.ctx(), w, []runs.Event{anEvent(r.ID, 3), attemptEvent(r.ID, 2, 2), attemptEvent(r.ID, 3, 1), anEvent(missing, 1)}))
	require.Equal(c.t, []runs.Event{anEvent(r.ID, 1), attemptEvent(r.ID, 2, 2)}, c.readEvents(r.ID))
	require.Equal(c.t, []uint64{1}, seqs(c.readEvents(kept.ID)))
}

func (c *check) tokens() {
	for _, resumable := range []bool{true, false} {
		r, w := c.submitTo(c.id(), func(r *runs.Run) { r.Resumable = resumable }), worker("w")
		c.mine(w, r)
		token := func(n int) runs.Event {
			e := anEvent(r.ID, n)
			e.Type = runs.TypeToken
			return e
		}
		require.NoError(c.t, c.s.Append(c.ctx(), w, []runs.Event{anEvent(r.ID, 1), token(2), token(3), anEvent(r.ID, 4)}))
		require.Equal(c.t, []uint64{1, 2, 3, 4}, seqs(c.readEvents(r.ID)))
		require.NoError(c.t, c.s.Finish(c.ctx(), w, &runs.Outcome{Run: r.ID, Status: runs.Success, Events: []runs.Event{token(5), anEvent(r.ID, 6)}}))
		all, ended := []uint64{1, 2, 3, 4, 5, 6}, c.readRun(r.ID).Updated
		require.Equal(c.t, all, seqs(c.readEvents(r.ID)), "who follows it reads them to the end")
		n, err := c.s.Prune(c.ctx(), time.Time{}, ended)
		require.NoError(c.t, err)
		require.Zero(c.t, n)
		n, err = c.s.Prune(c.ctx(), time.Time{}, ended.Add(time.Microsecond))
		require.NoError(c.t, err)
		if resumable {
			require.Zero(c.t, n)
			require.Equal(c.t, all, seqs(c.readEvents(r.ID)))
			continue
		}
		require.Equal(c.t, 3, n)
		require.Equal(c.t, []uint64{1, 4, 6}, seqs(c.readEvents(r.ID)))
	}
}

func (c *check) prune() {
	w := worker("w")
	over, running := c.submitTo(c.id()), c.submitTo(c.id())
	c.claims(w, 2)
	require.NoError(c.t, c.s.Append(c.ctx(), w, []runs.Event{anEvent(over.ID, 1), anEvent(over.ID, 2), anEvent(running.ID, 1)}))
	c.succeed(w, over.ID)
	prune := func(before time.Time) int {
		n, err := c.s.Prune(c.ctx(), before, time.Time{})
		require.NoError(c.t, err)
		return n
	}
	ended := c.readRun(over.ID).Updated
	require.Zero(c.t, prune(ended))
	require.Len(c.t, c.readEvents(over.ID), 2)
	require.Equal(c.t, 2, prune(ended.Add(time.Microsecond)))
	require.Zero(c.t, prune(time.Now().Add(time.Hour)))
	require.Empty(c.t, c.readEvents(over.ID))
	require.Equal(c.t, runs.Success, c.readRun(over.ID).Status, "runs stay")
	require.Len(c.t, c.readEvents(running.ID), 1)
	c.succeed(w, running.ID)
	require.Equal(c.t, 1, prune(time.Now().Add(time.Hour)))
}
