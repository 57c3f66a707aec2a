package runstest

import (
	"context"
	"reflect"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/runs"
)

// property is a row of each kind, all of one owner.
type property struct {
	thread    *runs.Thread
	running   *runs.Run
	pending   *runs.Run
	assistant *runs.Assistant
	schedule  *runs.Schedule
	worker    *runs.Worker
}

// property creates rows of ann.
func (c *check) property() *property {
	p := &property{thread: c.thread(), assistant: c.assistant(), worker: worker("w")}
	p.running, p.pending = c.submitTo(p.thread.ID), c.submitTo(p.thread.ID)
	c.mine(p.worker, p.running)
	require.NoError(c.t, c.s.Append(c.ctx(), p.worker, []runs.Event{anEvent(p.running.ID, 1)}))
	require.NoError(c.t, c.s.Spend(c.ctx(), &runs.Spending{Owner: ann, Day: runs.Day(noon), Currency: "EUR", Amount: 1}))
	p.schedule = c.schedule(func(s *runs.Schedule) { s.Assistant, s.Thread = p.assistant.ID, p.thread.ID })
	_, err := c.s.ChangeAssistant(c.ctx(), ann, p.assistant.ID, func(*runs.Assistant) error { return nil })
	require.NoError(c.t, err)
	return p
}

// holdings is all that an owner finds of a property.
type holdings struct {
	Threads    []runs.Thread
	Runs       []runs.Run
	Events     []runs.Event
	Assistants []runs.Assistant
	Versions   []runs.Assistant
	Schedules  []runs.Schedule
	Spent      []runs.Spending
}

func (c *check) holdings(p *property) (h holdings) {
	for _, read := range []func() error{
		func() (err error) { h.Threads, _, err = c.s.FindThreads(c.ctx(), ann, &runs.ThreadQuery{}); return err },
		func() (err error) {
			h.Runs, err = c.s.FindRuns(c.ctx(), ann, p.thread.ID, &runs.RunQuery{})
			return err
		},
		func() (err error) { h.Events, err = c.s.Events(c.ctx(), ann, p.running.ID, 0, 0); return err },
		func() (err error) {
			h.Assistants, _, err = c.s.FindAssistants(c.ctx(), ann, &runs.AssistantQuery{})
			return err
		},
		func() (err error) {
			h.Versions, err = c.s.Versions(c.ctx(), ann, p.assistant.ID, nil, 0, 0)
			return err
		},
		func() (err error) {
			h.Schedules, _, err = c.s.FindSchedules(c.ctx(), ann, &runs.ScheduleQuery{})
			return err
		},
		func() (err error) { h.Spent, err = c.s.Spent(c.ctx(), ann, time.Time{}); return err },
	} {
		require.NoError(c.t, read())
	}
	return h
}

// found is the error of a call that found what it should not.
func found(n int) error {
	if n == 0 {
		return errNothing
	}
	return nil
}

// errNothing is the result of a list without rows.
type nothing struct{}

func (nothing) Error() string { return "nothing was found" }

var errNothing error = nothing{} //nolint:gochecknoglobals // a sentinel

// call is a call of a method for an owner, with the ids of a property, and the error that a stranger gets.
type call struct {
	do   func(ctx context.Context, s runs.Store, owner string, p *property) error
	want error
}

// never is a change of a row that nobody may get.
func never() { panic("a stranger got a row") }

// calls has a call of each method that serves an owner. Changes call seen.
func (c *check) calls(seen func()) map[string]call { //nolint:funlen // a table
	return map[string]call{
		"CreateThread": {func(ctx context.Context, s runs.Store, owner string, p *property) error {
			return s.CreateThread(ctx, &runs.Thread{Owner: owner, ID: p.thread.ID, Agent: "stolen"})
		}, nil},
		"Thread": {func(ctx context.Context, s runs.Store, owner string, p *property) error {
			_, err := s.Thread(ctx, owner, p.thread.ID)
			return err
		}, runs.ErrNoThread},
		"ChangeThread": {func(ctx context.Context, s runs.Store, owner string, p *property) error {
			_, err := s.ChangeThread(ctx, owner, p.thread.ID, func(*runs.Thread) error { seen(); return nil })
			return err
		}, runs.ErrNoThread},
		"FindThreads": {func(ctx context.Context, s runs.Store, owner string, p *property) error {
			page, total, err := s.FindThreads(ctx, owner, &runs.ThreadQuery{IDs: []string{p.thread.ID}})
			if err != nil {
				return err
			}
			return found(len(page) + total)
		}, errNothing},
		"DeleteThread": {func(ctx context.Context, s runs.Store, owner string, p *property) error {
			return s.DeleteThread(ctx, owner, p.thread.ID)
		}, runs.ErrNoThread},
		"Submit": {func(ctx context.Context, s runs.Store, owner string, p *property) error {
			r := &runs.Run{Owner: owner, ID: c.id(), Thread: p.thread.ID, Agent: "agent", Strategy: runs.StrategyRollback}
			return s.Submit(ctx, r, false, 0, func(*runs.Thread) { seen() })
		}, runs.ErrNoThread},
		"Run": {func(ctx context.Context, s runs.Store, owner string, p *property) error {
			_, err := s.Run(ctx, owner, p.pending.ID)
			return err
		}, runs.ErrNoRun},
		"FindRuns": {func(ctx context.Context, s runs.Store, owner string, p *property) error {
			_, err := s.FindRuns(ctx, owner, p.thread.ID, &runs.RunQuery{})
			return err
		}, runs.ErrNoThread},
		"Cancel": {func(ctx context.Context, s runs.Store, owner string, p *property) error {
			_, err := s.Cancel(ctx, owner, p.running.ID, runs.CancelRollback)
			return err
		}, runs.ErrNoRun},
		"DeleteRun": {func(ctx context.Context, s runs.Store, owner string, p *property) error {
			return s.DeleteRun(ctx, owner, p.pending.ID)
		}, runs.ErrNoRun},
		"Events": {func(ctx context.Context, s runs.Store, owner string, p *property) error {
			_, err := s.Events(ctx, owner, p.running.ID, 0, 0)
			return err
		}, runs.ErrNoRun},
		"CreateAssistant": {func(ctx context.Context, s runs.Store, owner string, p *property) error {
			return s.CreateAssistant(ctx, &runs.Assistant{Owner: owner, ID: p.assistant.ID, Agent: "stolen"})
		}, nil},
		"Assistant": {func(ctx context.Context, s runs.Store, owner string, p *property) error {
			_, err := s.Assistant(ctx, owner, p.assistant.ID)
			return err
		}, runs.ErrNoAssistant},
		"ChangeAssistant": {func(ctx context.Context, s runs.Store, owner string, p *property) error {
			_, err := s.ChangeAssistant(ctx, owner, p.assistant.ID, func(*runs.Assistant) error { seen(); return nil })
			return err
		}, runs.ErrNoAssistant},
		"UseVersion": {func(ctx context.Context, s runs.Store, owner string, p *property) error {
			_, err := s.UseVersion(ctx, owner, p.assistant.ID, 1)
			return err
		}, runs.ErrNoAssistant},
		"Versions": {func(ctx context.Context, s runs.Store, owner string, p *property) error {
			_, err := s.Versions(ctx, owner, p.assistant.ID, nil, 0, 0)
			return err
		}, runs.ErrNoAssistant},
		"FindAssistants": {func(ctx context.Context, s runs.Store, owner string, _ *property) error {
			page, total, err := s.FindAssistants(ctx, owner, &runs.AssistantQuery{})
			if err != nil {
				return err
			}
			return found(len(page) + total)
		}, errNothing},
		"DeleteAssistant": {func(ctx context.Context, s runs.Store, owner string, p *property) error {
			return s.DeleteAssistant(ctx, owner, p.assistant.ID)
		}, runs.ErrNoAssistant},
		"CreateSchedule": {func(ctx context.Context, s runs.Store, owner string, p *property) error {
			return s.CreateSchedule(ctx, &runs.Schedule{Owner: owner, ID: p.schedule.ID, Assistant: "stolen", Cron: "@daily"})
		}, nil},
		"Schedule": {func(ctx context.Context, s runs.Store, owner string, p *property) error {
			_, err := s.Schedule(ctx, owner, p.schedule.ID)
			return err
		}, runs.ErrNoSchedule},
		"ChangeSchedule": {func(ctx context.Context, s runs.Store, owner string, p *property) error {
			_, err := s.ChangeSchedule(ctx, owner, p.schedule.ID, func(*runs.Schedule) error { seen(); return nil })
			return err
		}, runs.ErrNoSchedule},
		"FindSchedules": {func(ctx context.Context, s runs.Store, owner string, p *property) error {
			page, total, err := s.FindSchedules(ctx, owner, &runs.ScheduleQuery{Thread: p.thread.ID})
			if err != nil {
				return err
			}
			return found(len(page) + total)
		}, errNothing},
		"Spent": {func(ctx context.Context, s runs.Store, owner string, _ *property) error {
			rows, err := s.Spent(ctx, owner, time.Time{})
			if err != nil {
				return err
			}
			return found(len(rows))
		}, errNothing},
		"DeleteSchedule": {func(ctx context.Context, s runs.Store, owner string, p *property) error {
			return s.DeleteSchedule(ctx, owner, p.schedule.ID)
		}, runs.ErrNoSchedule},
	}
}

// methods returns the names of the methods of interfaces.
func methods[T any](names []string) []string {
	for method := range reflect.TypeFor[T]().Methods() {
		names = append(names, method.Name)
	}
	return names
}

// doors returns the names of all methods that serve an owner.
func doors() []string {
	return methods[runs.Costs](methods[runs.Schedules](methods[runs.Assistants](methods[runs.Runs](methods[runs.Threads](nil)))))
}

// stranger lets others call each method with the ids of ann's rows. Methods that create come last: they make rows of the stranger's.
func (c *check) stranger() {
	p := c.property()
	held := c.holdings(p)
	calls := c.calls(never)
	for _, owner := range []string{bob, "", "ANN", "ann ", "an%", "ann'--"} {
		for _, creates := range []bool{false, true} {
			for _, name := range doors() {
				call, ok := calls[name]
				require.True(c.t, ok, "the method %s is not tried", name)
				if strings.HasPrefix(name, "Create") == creates {
					require.ErrorIs(c.t, call.do(c.ctx(), c.s, owner, p), call.want, "%s of %q", name, owner)
				}
			}
		}
		require.Equal(c.t, held, c.holdings(p), "%q changed nothing", owner)
	}
}

// sameIDs holds that rows of two owners with the same ids have nothing to do with each other.
func (c *check) sameIDs() {
	p := c.property()
	c.submitTo(p.thread.ID) // the thread of ann is busy
	require.NoError(c.t, c.s.CreateThread(c.ctx(), &runs.Thread{Owner: bob, ID: p.thread.ID}))
	require.NoError(c.t, c.s.CreateAssistant(c.ctx(), &runs.Assistant{Owner: bob, ID: p.assistant.ID, Agent: "b"}))
	require.NoError(c.t, c.s.CreateSchedule(c.ctx(), &runs.Schedule{Owner: bob, ID: p.schedule.ID, Assistant: p.assistant.ID, Cron: "b"}))
	held := c.holdings(p)
	foreign := c.newRun(p.thread.ID, func(r *runs.Run) { r.Owner, r.Strategy = bob, runs.StrategyReject })
	require.NoError(c.t, c.s.Submit(c.ctx(), foreign, false, 1, nil))
	c.mine(p.worker, foreign)
	c.succeed(p.worker, foreign.ID)
	for name, do := range map[string]func() error{
		"thread": func() error {
			_, err := c.s.ChangeThread(c.ctx(), bob, p.thread.ID, func(t *runs.Thread) error { t.Agent = "b"; return nil })
			return err
		},
		"runs": func() error {
			rows, err := c.s.FindRuns(c.ctx(), bob, p.thread.ID, &runs.RunQuery{})
			require.Equal(c.t, []string{foreign.ID}, runIDs(rows))
			return err
		},
		"assistant": func() error {
			_, err := c.s.ChangeAssistant(c.ctx(), bob, p.assistant.ID, func(a *runs.Assistant) error { a.Name = "b"; return nil })
			return err
		},
	} {
		require.NoError(c.t, do(), name)
	}
	require.NoError(c.t, c.s.DeleteSchedule(c.ctx(), bob, p.schedule.ID), "before its assistant, which removes it too")
	require.NoError(c.t, c.s.DeleteAssistant(c.ctx(), bob, p.assistant.ID))
	require.NoError(c.t, c.s.DeleteThread(c.ctx(), bob, p.thread.ID))
	require.Equal(c.t, held, c.holdings(p))
}

// queueCalls has a call of each method for workers.
func queueCalls(p *property) map[string]func(ctx context.Context, s runs.Store) error {
	return map[string]func(ctx context.Context, s runs.Store) error{
		"Claim": func(ctx context.Context, s runs.Store) error { _, err := s.Claim(ctx, p.worker, 1); return err },
		"ClaimIn": func(ctx context.Context, s runs.Store) error {
			_, err := s.ClaimIn(ctx, p.worker, p.thread.Owner, p.thread.ID)
			return err
		},
		"Claimable": func(ctx context.Context, s runs.Store) error {
			_, err := s.Claimable(ctx, p.worker.Agents, 1)
			return err
		},
		"Waiting": func(ctx context.Context, s runs.Store) error { _, err := s.Waiting(ctx); return err },
		"Queued":  func(ctx context.Context, s runs.Store) error { _, err := s.Queued(ctx, p.worker.Agents); return err },
		"Begin": func(ctx context.Context, s runs.Store) error {
			_, err := s.Begin(ctx, p.worker, p.running.ID, 9)
			return err
		},
		"Renew": func(ctx context.Context, s runs.Store) error { _, err := s.Renew(ctx, p.worker, nil); return err },
		"Append": func(ctx context.Context, s runs.Store) error {
			return s.Append(ctx, p.worker, []runs.Event{anEvent(p.running.ID, 9)})
		},
		"Finish": func(ctx context.Context, s runs.Store) error {
			return s.Finish(ctx, p.worker, &runs.Outcome{Run: p.running.ID, Status: runs.Success})
		},
		"Release": func(ctx context.Context, s runs.Store) error { return s.Release(ctx, p.worker, p.running.ID) },
		"Fire": func(ctx context.Context, s runs.Store) error {
			_, err := s.Fire(ctx, noon, 1, daily)
			return err
		},
		"Expired":   func(ctx context.Context, s runs.Store) error { _, err := s.Expired(ctx, noon, 1); return err },
		"NewestRun": func(ctx context.Context, s runs.Store) error { _, err := s.NewestRun(ctx); return err },
		"Spend": func(ctx context.Context, s runs.Store) error {
			return s.Spend(ctx, &runs.Spending{Owner: p.thread.Owner, Day: runs.Day(noon), Currency: "EUR"})
		},
		"Spenders": func(ctx context.Context, s runs.Store) error { _, err := s.Spenders(ctx, noon, 1); return err },
		"Prune": func(ctx context.Context, s runs.Store) error {
			_, err := s.Prune(ctx, noon.Add(time.Hour), noon.Add(time.Hour))
			return err
		},
	}
}

// contexts holds that nothing happens when a context has ended.
func (c *check) contexts() {
	p := c.property()
	held := c.holdings(p)
	ended, cancel := context.WithCancel(c.ctx())
	cancel()
	calls := c.calls(never)
	for _, name := range doors() {
		require.ErrorIs(c.t, calls[name].do(ended, c.s, ann, p), context.Canceled, name)
	}
	queue := queueCalls(p)
	for _, name := range methods[runs.Ledger](methods[runs.Queue](nil)) {
		require.Contains(c.t, queue, name, "the method is not tried")
		require.ErrorIs(c.t, queue[name](ended, c.s), context.Canceled, name)
	}
	require.ErrorIs(c.t, c.s.Listen(ended, func(runs.Hint) {}), context.Canceled)
	require.Equal(c.t, held, c.holdings(p))
}
