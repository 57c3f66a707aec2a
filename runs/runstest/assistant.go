package runstest

import (
	"errors"
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/runs"
)

func (c *check) fullAssistant() *runs.Assistant {
	return &runs.Assistant{
		Owner: ann, ID: c.id(), Agent: "agent", Name: "Ärztin", Description: "two\nlines", Config: runs.Document(`{"tags": ["a"]}`),
		Context: runs.Document(`{}`), Metadata: runs.Metadata{"a": "b"},
	}
}

func (c *check) assistant(change ...func(a *runs.Assistant)) *runs.Assistant {
	c.t.Helper()
	a := &runs.Assistant{Owner: ann, ID: c.id(), Agent: "agent"}
	for _, f := range change {
		f(a)
	}
	require.NoError(c.t, c.s.CreateAssistant(c.ctx(), a))
	return a
}

func (c *check) readAssistant(id string) *runs.Assistant {
	c.t.Helper()
	a, err := c.s.Assistant(c.ctx(), ann, id)
	require.NoError(c.t, err)
	return a
}

func (c *check) createAssistant() {
	given := c.fullAssistant()
	given.Version = 7
	want := given.Copy()
	require.NoError(c.t, c.s.CreateAssistant(c.ctx(), given))
	want.Version, want.Created, want.Updated = 1, given.Created, given.Updated
	require.Equal(c.t, want, given)
	require.Equal(c.t, given.Created, given.Updated)
	require.Equal(c.t, want, c.readAssistant(given.ID))
	require.ErrorIs(c.t, c.s.CreateAssistant(c.ctx(), &runs.Assistant{Owner: ann, ID: given.ID, Agent: "other"}), runs.ErrExists)
	require.Equal(c.t, want, c.readAssistant(given.ID))
	_, err := c.s.Assistant(c.ctx(), ann, missing)
	require.ErrorIs(c.t, err, runs.ErrNoAssistant)
}

func (c *check) versions() {
	one := c.fullAssistant()
	require.NoError(c.t, c.s.CreateAssistant(c.ctx(), one))
	change := func(f func(a *runs.Assistant)) *runs.Assistant {
		a, err := c.s.ChangeAssistant(c.ctx(), ann, one.ID, func(a *runs.Assistant) error { f(a); return nil })
		require.NoError(c.t, err)
		require.Equal(c.t, a, c.readAssistant(one.ID))
		return a
	}
	two := change(func(a *runs.Assistant) {
		require.Equal(c.t, one, a)
		a.Name, a.Metadata["v"], a.Config, a.Agent, a.Description = "two", 2.0, nil, "other", ""
		a.Owner, a.ID, a.Version, a.Created = bob, missing, 9, a.Created.AddDate(1, 0, 0)
	})
	want := one.Copy()
	want.Name, want.Metadata, want.Config, want.Agent, want.Description = "two", runs.Metadata{"a": "b", "v": 2.0}, nil, "other", ""
	want.Version, want.Updated = 2, two.Updated
	require.Equal(c.t, want, two)

	back, err := c.s.UseVersion(c.ctx(), ann, one.ID, 1)
	require.NoError(c.t, err)
	require.False(c.t, back.Updated.Before(two.Updated))
	again := one.Copy()
	again.Updated = back.Updated
	require.Equal(c.t, again, back, "it is the first version, with the time when it came to be used")
	require.Equal(c.t, back, c.readAssistant(one.ID))
	three := change(func(a *runs.Assistant) { a.Metadata["v"] = 3.0 })
	require.Equal(c.t, []any{3, "Ärztin"}, []any{three.Version, three.Name}, "it follows the one that was used, with a number that none had")

	versions := func(metadata runs.Metadata, limit, offset int) []int {
		rows, err := c.s.Versions(c.ctx(), ann, one.ID, metadata, limit, offset)
		require.NoError(c.t, err)
		numbers := []int{}
		for i := range rows {
			numbers = append(numbers, rows[i].Version)
		}
		return numbers
	}
	require.Equal(c.t, []int{3, 2, 1}, versions(nil, 0, 0))
	require.Equal(c.t, []int{2}, versions(nil, 1, 1))
	require.Equal(c.t, []int{2}, versions(runs.Metadata{"v": 2.0}, 0, 0))
	require.Equal(c.t, []int{2, 1}, versions(runs.Metadata{"a": "b"}, 10, 1))
	require.Empty(c.t, versions(nil, 0, 3))
	rows, err := c.s.Versions(c.ctx(), ann, one.ID, nil, 0, 0)
	require.NoError(c.t, err)
	require.Equal(c.t, []runs.Assistant{*three, *two, *back}, rows, "a list has whole versions")

	failure := errors.New("no")
	_, err = c.s.ChangeAssistant(c.ctx(), ann, one.ID, func(*runs.Assistant) error { return failure })
	require.Equal(c.t, failure, err)
	_, err = c.s.ChangeAssistant(c.ctx(), ann, one.ID, func(a *runs.Assistant) error { a.Agent = ""; return nil })
	require.ErrorIs(c.t, err, runs.ErrInvalidValue)
	require.Equal(c.t, three, c.readAssistant(one.ID))
	for _, version := range []int{0, -1, 4, 1 << 40} {
		_, err = c.s.UseVersion(c.ctx(), ann, one.ID, version)
		require.ErrorIs(c.t, err, runs.ErrNoVersion)
	}
	_, err = c.s.UseVersion(c.ctx(), ann, missing, 1)
	require.ErrorIs(c.t, err, runs.ErrNoAssistant)
	_, err = c.s.ChangeAssistant(c.ctx(), ann, missing, func(*runs.Assistant) error { return nil })
	require.ErrorIs(c.t, err, runs.ErrNoAssistant)
	_, err = c.s.Versions(c.ctx(), ann, missing, nil, 0, 0)
	require.ErrorIs(c.t, err, runs.ErrNoAssistant)
	require.Len(c.t, versions(nil, 0, 0), 3)
}

func (c *check) findAssistants() {
	cook := c.assistant(func(a *runs.Assistant) {
		a.Name, a.Agent, a.Metadata = "Der Köche Koch", "kitchen", runs.Metadata{"m": 1.0}
	})
	smith := c.assistant(func(a *runs.Assistant) { a.Name, a.Metadata = "Smith 100%", runs.Metadata{"m": 1.0, "n": 2.0} })
	plain := c.assistant(func(a *runs.Assistant) { a.Name = "smith_" })
	find := func(q runs.AssistantQuery) []string {
		if q.Sort == "" {
			q.Sort, q.Ascending = runs.SortID, true
		}
		page, total, err := c.s.FindAssistants(c.ctx(), ann, &q)
		require.NoError(c.t, err)
		ids := []string{}
		for i := range page {
			ids = append(ids, page[i].ID)
			require.Equal(c.t, *c.readAssistant(page[i].ID), page[i], "a list has whole assistants")
		}
		if q.Limit == 0 {
			require.Len(c.t, page, total)
		}
		return ids
	}
	require.Equal(c.t, []string{cook.ID, smith.ID, plain.ID}, find(runs.AssistantQuery{}))
	require.Equal(c.t, []string{cook.ID}, find(runs.AssistantQuery{Agent: "kitchen"}))
	require.Empty(c.t, find(runs.AssistantQuery{Agent: "kitche"}))
	require.Equal(c.t, []string{cook.ID}, find(runs.AssistantQuery{Name: "KÖCHE"}), "in any case, in all scripts")
	require.Equal(c.t, []string{smith.ID, plain.ID}, find(runs.AssistantQuery{Name: "SMITH"}))
	require.Equal(c.t, []string{smith.ID}, find(runs.AssistantQuery{Name: "0%"}), "no character is a pattern")
	require.Equal(c.t, []string{plain.ID}, find(runs.AssistantQuery{Name: "h_"}))
	require.Equal(c.t, []string{smith.ID}, find(runs.AssistantQuery{Metadata: runs.Metadata{"n": 2.0}}))
	require.Equal(c.t, []string{cook.ID, smith.ID}, find(runs.AssistantQuery{Metadata: runs.Metadata{"m": 1.0}}))
	byName := []string{cook.ID, smith.ID, plain.ID}
	require.Equal(c.t, byName, find(runs.AssistantQuery{Page: runs.Page{Sort: runs.SortName, Ascending: true}}))
	slices.Reverse(byName)
	require.Equal(c.t, byName, find(runs.AssistantQuery{Page: runs.Page{Sort: runs.SortName}}))
	require.Equal(c.t, []string{cook.ID, smith.ID, plain.ID}, find(runs.AssistantQuery{Page: runs.Page{Sort: runs.SortAgent}}), "equal ones by their ids")
	require.Equal(c.t, []string{smith.ID}, find(runs.AssistantQuery{Page: runs.Page{Sort: runs.SortAgent, Limit: 1, Offset: 1}}))
	for _, sort := range []runs.Sort{runs.SortCreated, runs.SortUpdated} {
		require.Len(c.t, find(runs.AssistantQuery{Page: runs.Page{Sort: sort}}), 3)
	}

	_, err := c.s.ChangeAssistant(c.ctx(), ann, cook.ID, func(a *runs.Assistant) error { a.Name, a.Metadata = "Chef", nil; return nil })
	require.NoError(c.t, err)
	require.Empty(c.t, find(runs.AssistantQuery{Name: "Koch"}), "only the version that is used is found")
	require.Equal(c.t, []string{cook.ID}, find(runs.AssistantQuery{Name: "chef"}))
	_, err = c.s.UseVersion(c.ctx(), ann, cook.ID, 1)
	require.NoError(c.t, err)
	require.Equal(c.t, []string{cook.ID}, find(runs.AssistantQuery{Name: "koch", Metadata: runs.Metadata{"m": 1.0}}))
}

func (c *check) deleteAssistant() {
	a, other := c.assistant(), c.assistant()
	gone := c.schedule(func(s *runs.Schedule) { s.Assistant = a.ID })
	stays := c.schedule(func(s *runs.Schedule) { s.Assistant = other.ID })
	foreign := c.schedule(func(s *runs.Schedule) { s.Owner, s.Assistant = bob, a.ID })
	r := c.submitTo(c.id(), func(r *runs.Run) { r.Assistant = a.ID })
	require.NoError(c.t, c.s.DeleteAssistant(c.ctx(), ann, a.ID))
	require.ErrorIs(c.t, c.s.DeleteAssistant(c.ctx(), ann, a.ID), runs.ErrNoAssistant)
	_, err := c.s.Versions(c.ctx(), ann, a.ID, nil, 0, 0)
	require.ErrorIs(c.t, err, runs.ErrNoAssistant)
	_, err = c.s.Schedule(c.ctx(), ann, gone.ID)
	require.ErrorIs(c.t, err, runs.ErrNoSchedule)
	_, err = c.s.Schedule(c.ctx(), ann, stays.ID)
	require.NoError(c.t, err)
	_, err = c.s.Schedule(c.ctx(), bob, foreign.ID)
	require.NoError(c.t, err)
	require.Equal(c.t, a.ID, c.readRun(r.ID).Assistant, "its runs stay")
	again := &runs.Assistant{Owner: ann, ID: a.ID, Agent: "agent"}
	require.NoError(c.t, c.s.CreateAssistant(c.ctx(), again))
	require.Equal(c.t, 1, again.Version)
}
