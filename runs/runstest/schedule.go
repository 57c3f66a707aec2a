package runstest

import (
	"errors"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/runs"
)

// noon is when the schedules of the tests fire.
var noon = time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC) //nolint:gochecknoglobals // a constant

func (c *check) schedule(change ...func(s *runs.Schedule)) *runs.Schedule {
	c.t.Helper()
	s := &runs.Schedule{Owner: ann, ID: c.id(), Assistant: "a", Cron: "0 12 * * *", Enabled: true, Next: noon}
	for _, f := range change {
		f(s)
	}
	require.NoError(c.t, c.s.CreateSchedule(c.ctx(), s))
	return s
}

func (c *check) readSchedule(id string) *runs.Schedule {
	c.t.Helper()
	s, err := c.s.Schedule(c.ctx(), ann, id)
	require.NoError(c.t, err)
	return s
}

func (c *check) schedules() {
	given := &runs.Schedule{
		Owner: ann, ID: c.id(), Assistant: "a", Thread: c.id(), Cron: "@daily", Zone: "Europe/Vienna", Request: runs.Document(`{"input": null}`),
		Metadata: runs.Metadata{"a": "b"}, Enabled: true, KeepRuns: true, End: noon.AddDate(1, 0, 0), Next: noon,
	}
	want := given.Copy()
	require.NoError(c.t, c.s.CreateSchedule(c.ctx(), given))
	want.Created, want.Updated = given.Created, given.Updated
	require.Equal(c.t, want, given)
	require.WithinDuration(c.t, time.Now(), given.Created, time.Minute)
	require.Equal(c.t, want, c.readSchedule(given.ID))
	require.ErrorIs(c.t, c.s.CreateSchedule(c.ctx(), given), runs.ErrExists)

	changed, err := c.s.ChangeSchedule(c.ctx(), ann, given.ID, func(s *runs.Schedule) error {
		require.Equal(c.t, want, s)
		*s = runs.Schedule{Owner: bob, ID: missing, Assistant: "b", Cron: "@hourly", Metadata: s.Metadata, Created: noon, Updated: noon}
		return nil
	})
	require.NoError(c.t, err)
	want = &runs.Schedule{
		Owner: ann, ID: given.ID, Assistant: "b", Cron: "@hourly", Metadata: runs.Metadata{"a": "b"}, Created: given.Created, Updated: changed.Updated,
	}
	require.Equal(c.t, want, changed)
	require.Equal(c.t, want, c.readSchedule(given.ID))
	failure := errors.New("no")
	_, err = c.s.ChangeSchedule(c.ctx(), ann, given.ID, func(s *runs.Schedule) error { s.Cron = "x"; return failure })
	require.Equal(c.t, failure, err)
	_, err = c.s.ChangeSchedule(c.ctx(), ann, given.ID, func(s *runs.Schedule) error { s.Cron = ""; return nil })
	require.ErrorIs(c.t, err, runs.ErrInvalidValue)
	require.Equal(c.t, want, c.readSchedule(given.ID))
	_, err = c.s.ChangeSchedule(c.ctx(), ann, missing, func(*runs.Schedule) error { return nil })
	require.ErrorIs(c.t, err, runs.ErrNoSchedule)

	require.NoError(c.t, c.s.DeleteSchedule(c.ctx(), ann, given.ID))
	require.ErrorIs(c.t, c.s.DeleteSchedule(c.ctx(), ann, given.ID), runs.ErrNoSchedule)
	_, err = c.s.Schedule(c.ctx(), ann, given.ID)
	require.ErrorIs(c.t, err, runs.ErrNoSchedule)
}

func (c *check) findSchedules() {
	thread := c.id()
	a := c.schedule(func(s *runs.Schedule) { s.Metadata, s.Next = runs.Metadata{"x": 1.0}, noon.AddDate(0, 0, 2) })
	b := c.schedule(func(s *runs.Schedule) { s.Assistant, s.Thread, s.Enabled = "b", thread, false })
	d := c.schedule(func(s *runs.Schedule) { s.Thread, s.Next = thread, time.Time{} })
	find := func(q runs.ScheduleQuery) []string {
		if q.Sort == "" {
			q.Sort, q.Ascending = runs.SortID, true
		}
		page, total, err := c.s.FindSchedules(c.ctx(), ann, &q)
		require.NoError(c.t, err)
		ids := []string{}
		for i := range page {
			ids = append(ids, page[i].ID)
			require.Equal(c.t, *c.readSchedule(page[i].ID), page[i], "a list has whole schedules")
		}
		if q.Limit == 0 {
			require.Len(c.t, page, total)
		}
		return ids
	}
	yes, no := true, false
	require.Equal(c.t, []string{a.ID, b.ID, d.ID}, find(runs.ScheduleQuery{}))
	require.Equal(c.t, []string{a.ID, d.ID}, find(runs.ScheduleQuery{Assistant: "a"}))
	require.Equal(c.t, []string{b.ID, d.ID}, find(runs.ScheduleQuery{Thread: thread}))
	require.Equal(c.t, []string{a.ID, d.ID}, find(runs.ScheduleQuery{Enabled: &yes}))
	require.Equal(c.t, []string{b.ID}, find(runs.ScheduleQuery{Enabled: &no}))
	require.Equal(c.t, []string{a.ID}, find(runs.ScheduleQuery{Metadata: runs.Metadata{"x": 1.0}}))
	require.Empty(c.t, find(runs.ScheduleQuery{Assistant: "b", Enabled: &yes}))
	require.Equal(c.t, []string{d.ID, b.ID, a.ID}, find(runs.ScheduleQuery{Page: runs.Page{Sort: runs.SortNext, Ascending: true}}))
	require.Equal(c.t, []string{b.ID}, find(runs.ScheduleQuery{Page: runs.Page{Sort: runs.SortNext, Limit: 1, Offset: 1}}))
	for _, sort := range []runs.Sort{runs.SortCreated, runs.SortUpdated} {
		require.Len(c.t, find(runs.ScheduleQuery{Page: runs.Page{Sort: sort}}), 3)
	}
}

// daily returns the next time of a schedule that fires each day.
func daily(s *runs.Schedule) time.Time { return s.Next.AddDate(0, 0, 1) }

func (c *check) fires(now time.Time, limit int, next func(s *runs.Schedule) time.Time) []runs.Schedule {
	c.t.Helper()
	fired, err := c.s.Fire(c.ctx(), now, limit, next)
	require.NoError(c.t, err)
	return fired
}

func (c *check) fire() {
	second := c.schedule()
	first := c.schedule(func(s *runs.Schedule) { s.Owner, s.Next = bob, noon.Add(-time.Second) })
	c.schedule(func(s *runs.Schedule) { s.Enabled = false })
	c.schedule(func(s *runs.Schedule) { s.Next = time.Time{} })
	c.schedule(func(s *runs.Schedule) { s.Next = noon.Add(time.Hour) })

	require.Empty(c.t, c.fires(noon.Add(-time.Minute), 10, daily))
	require.Empty(c.t, c.fires(noon, 0, daily))
	require.Equal(c.t, []runs.Schedule{*first.Copy()}, c.fires(noon, 1, daily), "the one that is due longest first, as it was")
	require.Equal(c.t, []runs.Schedule{*second.Copy()}, c.fires(noon, 10, daily))
	require.Empty(c.t, c.fires(noon, 10, daily), "each time of a schedule once")
	moved := c.readSchedule(second.ID)
	want := second.Copy()
	want.Next = noon.AddDate(0, 0, 1)
	require.Equal(c.t, want, moved, "nobody changed it")
	require.Len(c.t, c.fires(noon.AddDate(0, 0, 7), 10, daily), 3)
}

func (c *check) endSchedule() {
	last := c.schedule(func(s *runs.Schedule) { s.End = noon.Add(time.Hour) })
	over := c.schedule(func(s *runs.Schedule) { s.End = noon.Add(-time.Second) })
	stuck := c.schedule()
	fired := c.fires(noon, 10, func(s *runs.Schedule) time.Time {
		if s.ID == stuck.ID {
			return s.Next
		}
		return daily(s)
	})
	require.Len(c.t, fired, 2)
	for _, id := range []string{last.ID, over.ID, stuck.ID} {
		require.Zero(c.t, c.readSchedule(id).Next)
		for i := range fired {
			require.NotEqual(c.t, over.ID, fired[i].ID, "it does not fire after its end")
		}
	}
	require.Empty(c.t, c.fires(noon.AddDate(1, 0, 0), 10, daily))
	atEnd := c.schedule(func(s *runs.Schedule) { s.End = noon.AddDate(0, 0, 1) })
	require.Len(c.t, c.fires(noon, 10, daily), 1)
	require.Equal(c.t, atEnd.End, c.readSchedule(atEnd.ID).Next, "it fires at its end")
}

func (c *check) expired() {
	hour := func(t *runs.Thread) { t.Expiry = &runs.Expiry{After: time.Hour} }
	longer := c.thread(func(t *runs.Thread) { t.Expiry = &runs.Expiry{After: 2 * time.Hour} })
	short := c.thread(hour)
	busy := c.submitTo(c.thread(hour).ID)
	c.thread()
	foreign := c.thread(hour, func(t *runs.Thread) { t.Owner = bob })
	expired := func(now time.Time, limit int) []string {
		rows, err := c.s.Expired(c.ctx(), now, limit)
		require.NoError(c.t, err)
		return threadIDs(rows)
	}
	require.Empty(c.t, expired(short.Updated.Add(time.Hour-time.Microsecond), 10))
	require.Equal(c.t, []string{short.ID}, expired(short.Updated.Add(time.Hour), 1))
	require.Equal(c.t, []string{short.ID, foreign.ID, longer.ID}, expired(short.Updated.Add(3*time.Hour), 10), "the first to expire first")
	require.Equal(c.t, []string{short.ID, foreign.ID}, expired(short.Updated.Add(3*time.Hour), 2))
	require.Empty(c.t, expired(short.Updated.Add(3*time.Hour), 0))
	rows, err := c.s.Expired(c.ctx(), short.Updated.Add(time.Hour), 1)
	require.NoError(c.t, err)
	require.Equal(c.t, []runs.Thread{*c.readThread(short.ID)}, rows, "a list has whole threads")

	_, err = c.s.Cancel(c.ctx(), ann, busy.ID, runs.CancelKeep)
	require.NoError(c.t, err)
	require.Contains(c.t, expired(time.Now().Add(3*time.Hour), 10), busy.Thread)
	_, err = c.s.ChangeThread(c.ctx(), ann, short.ID, func(t *runs.Thread) error { t.Expiry = nil; return nil })
	require.NoError(c.t, err)
	require.NotContains(c.t, expired(time.Now().Add(3*time.Hour), 10), short.ID)
}
