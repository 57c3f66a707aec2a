package runstest

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/runs"
)

// Clock is a clock for two stores that must do the same. It goes on whenever a test says so.
type Clock struct{ micros atomic.Int64 }

// Now returns the time.
func (c *Clock) Now() time.Time { return time.UnixMicro(1_800_000_000_000_000 + c.micros.Load()).UTC() }

// Compare lets two stores do the same at random, and holds that they return the same. Both must use the clock for the times of rows. The
// stores need not be empty.
func Compare(t *testing.T, clock *Clock, a, b runs.Store) {
	t.Helper()
	cases := 0
	rapid.Check(t, func(r *rapid.T) {
		cases++
		p := &pair{
			t: t, r: r, clock: clock, a: a, b: b, owners: []string{fmt.Sprint("ann", cases), fmt.Sprint("bob", cases)},
			agents: []string{fmt.Sprint("x", cases), fmt.Sprint("y", cases)}, prefix: fmt.Sprint(cases, "-"), numbers: map[string]int{},
		}
		defer p.clear()
		r.Repeat(map[string]func(r *rapid.T){
			"": func(*rapid.T) { clock.micros.Add(1) }, "create": p.create, "submit": p.submit, "change": p.change, "cancel": p.cancel,
			"claim": p.claim, "append": p.append, "finish": p.finish, "release": p.release, "delete": p.delete, "read": p.read,
			"find": p.find, "assistants": p.assistants,
		})
	})
}

// pair is two stores with the rows of one case, which have owners, agents and ids of their own.
type pair struct {
	t       *testing.T
	r       *rapid.T
	clock   *Clock
	a, b    runs.Store
	owners  []string
	agents  []string
	prefix  string
	runs    []string
	numbers map[string]int // of runs, in the order in which they were submitted
}

// both does the same in both stores, and holds that the results are the same.
func both[T any](p *pair, do func(s runs.Store) (T, error)) (T, error) {
	wanted, errA := do(p.a)
	got, errB := do(p.b)
	require.Equal(p.r, meaning(p.r, errA), meaning(p.r, errB), "%v and %v", errA, errB)
	require.Equal(p.r, wanted, got)
	return wanted, errA
}

// meaning returns the error of this package that an error is.
func meaning(t *rapid.T, err error) error {
	if err == nil {
		return nil
	}
	for _, known := range []error{
		runs.ErrNoThread, runs.ErrNoRun, runs.ErrNoAssistant, runs.ErrNoVersion, runs.ErrExists, runs.ErrThreadBusy, runs.ErrQueueFull,
		runs.ErrRunOver, runs.ErrNotClaimed, runs.ErrBadQuery, runs.ErrInvalidValue, errOurs,
	} {
		if errors.Is(err, known) {
			return known
		}
	}
	t.Fatalf("an error that means nothing: %v", err)
	return nil
}

var errOurs = errors.New("the change is refused") //nolint:gochecknoglobals // a sentinel

func (p *pair) owner(r *rapid.T) string { return rapid.SampledFrom(p.owners).Draw(r, "owner") }

func (p *pair) thread(r *rapid.T) string {
	return p.prefix + "t" + rapid.StringMatching(`[1-3]`).Draw(r, "thread")
}

func (p *pair) run(r *rapid.T) string {
	if len(p.runs) == 0 {
		return "none"
	}
	return rapid.SampledFrom(p.runs).Draw(r, "run")
}

func (p *pair) worker(r *rapid.T) *runs.Worker {
	id, agents := rapid.StringMatching(`[vw]`).Draw(r, "worker"), rapid.IntRange(1, 2).Draw(r, "agents")
	return &runs.Worker{ID: p.prefix + id, Agents: p.agents[:agents], Lease: time.Hour}
}

// value draws a value of metadata.
func value(r *rapid.T) any {
	return rapid.SampledFrom([]any{nil, true, 1.0, "a", []any{"a", 1.0}, []any{[]any{}}, map[string]any{"k": "a"}, map[string]any{}}).Draw(r, "value")
}

func metadata(r *rapid.T) runs.Metadata {
	return rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "é"}), rapid.Custom(value), 0, 3).Draw(r, "metadata")
}

// normal replaces what the stores may number differently.
func (p *pair) normal(rows []runs.Run) []runs.Run {
	for i := range rows {
		rows[i].Number = uint64(p.numbers[rows[i].ID])
	}
	return rows
}

func (p *pair) create(r *rapid.T) {
	t := runs.Thread{Owner: p.owner(r), ID: p.thread(r), Metadata: metadata(r), Temporary: rapid.IntRange(0, 4).Draw(r, "temporary") == 0}
	t.Status = rapid.SampledFrom([]runs.ThreadStatus{"", runs.ThreadInterrupted, runs.ThreadFailed, runs.ThreadBusy}).Draw(r, "status")
	_, _ = both(p, func(s runs.Store) (runs.Thread, error) {
		t := t
		err := s.CreateThread(p.t.Context(), &t)
		return t, err
	})
}

func (p *pair) submit(r *rapid.T) {
	run := runs.Run{
		Owner: p.owner(r), ID: fmt.Sprint(p.prefix, "r", len(p.runs)), Thread: p.thread(r), Agent: rapid.SampledFrom(p.agents).Draw(r, "agent"),
		Metadata: metadata(r), Resumable: rapid.Bool().Draw(r, "resumable"),
		Strategy: rapid.SampledFrom([]runs.Strategy{"", runs.StrategyReject, runs.StrategyInterrupt, runs.StrategyRollback}).Draw(r, "strategy"),
	}
	if rapid.IntRange(0, 9).Draw(r, "again") == 0 {
		run.ID = p.run(r)
	}
	create, most := rapid.Bool().Draw(r, "create"), rapid.IntRange(0, 4).Draw(r, "most")
	noted := metadata(r)
	_, err := both(p, func(s runs.Store) (runs.Run, error) {
		given := run
		err := s.Submit(p.t.Context(), &given, create, most, func(t *runs.Thread) { t.Metadata = noted })
		given.Number = 0
		return given, err
	})
	if err == nil {
		p.numbers[run.ID] = len(p.runs) + 1
		p.runs = append(p.runs, run.ID)
	}
}

func (p *pair) change(r *rapid.T) {
	owner, thread, m := p.owner(r), p.thread(r), metadata(r)
	status := rapid.SampledFrom([]runs.ThreadStatus{"", runs.ThreadIdle, runs.ThreadInterrupted, runs.ThreadBusy, "odd"}).Draw(r, "status")
	fails := rapid.IntRange(0, 5).Draw(r, "fails") == 0
	_, _ = both(p, func(s runs.Store) (*runs.Thread, error) {
		return s.ChangeThread(p.t.Context(), owner, thread, func(t *runs.Thread) error {
			t.Metadata, t.Waiting = m, []runs.Interrupt{{ID: "i"}}
			if t.Status = status; fails {
				return errOurs
			}
			return nil
		})
	})
}

func (p *pair) cancel(r *rapid.T) {
	owner, run := p.owner(r), p.run(r)
	how := rapid.SampledFrom([]runs.Cancel{runs.CancelKeep, runs.CancelRollback}).Draw(r, "how")
	_, _ = both(p, func(s runs.Store) (*runs.Run, error) {
		out, err := s.Cancel(p.t.Context(), owner, run, how)
		if err == nil {
			out.Number = 0
		}
		return out, err
	})
}

func (p *pair) claim(r *rapid.T) {
	w, limit := p.worker(r), rapid.IntRange(0, 3).Draw(r, "limit")
	_, err := both(p, func(s runs.Store) ([]runs.Run, error) {
		rows, err := s.Claim(p.t.Context(), w, limit)
		return p.normal(rows), err
	})
	require.NoError(r, err)
	owner, thread := p.owner(r), p.thread(r)
	_, _ = both(p, func(s runs.Store) ([]runs.Run, error) {
		row, err := s.ClaimIn(p.t.Context(), w, owner, thread)
		if row == nil {
			return nil, err
		}
		return p.normal([]runs.Run{*row}), err
	})
	_, err = both(p, func(s runs.Store) ([]runs.Run, error) {
		rows, err := s.Claimable(p.t.Context(), w.Agents, limit)
		return p.normal(rows), err
	})
	require.NoError(r, err)
	_, err = both(p, func(s runs.Store) (map[string]int, error) { return s.Queued(p.t.Context(), w.Agents) })
	require.NoError(r, err)
	_, err = both(p, func(s runs.Store) (map[string]int, error) { return s.Waiting(p.t.Context()) })
	require.NoError(r, err)
	_, err = both(p, func(s runs.Store) (*runs.Renewal, error) { return s.Renew(p.t.Context(), w, p.runs) })
	require.NoError(r, err)
}

func (p *pair) event(r *rapid.T, run string) runs.Event {
	e := attemptEvent(run, rapid.IntRange(1, 2).Draw(r, "attempt"), rapid.IntRange(1, 5).Draw(r, "n"))
	if rapid.Bool().Draw(r, "token") {
		e.Type = runs.TypeToken
	}
	return e
}

func (p *pair) append(r *rapid.T) {
	w := p.worker(r)
	var events []runs.Event
	for range rapid.IntRange(0, 4).Draw(r, "events") {
		events = append(events, p.event(r, p.run(r)))
	}
	_, err := both(p, func(s runs.Store) (any, error) { return nil, s.Append(p.t.Context(), w, events) })
	require.NoError(r, err)
	run, newest := p.run(r), checkpoint.ID(rapid.IntRange(0, 3).Draw(r, "newest"))
	_, _ = both(p, func(s runs.Store) (checkpoint.ID, error) { return s.Begin(p.t.Context(), w, run, newest) })
}

func (p *pair) finish(r *rapid.T) {
	w, run := p.worker(r), p.run(r)
	o := &runs.Outcome{
		Run: run, Remove: rapid.IntRange(0, 4).Draw(r, "remove") == 0,
		Status: rapid.SampledFrom([]runs.Status{runs.Success, runs.Failed, runs.Interrupted, runs.Pending}).Draw(r, "status"),
		After:  checkpoint.ID(rapid.IntRange(0, 9).Draw(r, "after")),
	}
	if rapid.Bool().Draw(r, "event") {
		o.Events = []runs.Event{p.event(r, run)}
	}
	status, m := rapid.SampledFrom([]runs.ThreadStatus{runs.ThreadBusy, runs.ThreadIdle, runs.ThreadInterrupted}).Draw(r, "thread"), metadata(r)
	o.Thread = func(t *runs.Thread) { t.Status, t.Metadata, t.Waiting = status, m, []runs.Interrupt{{ID: "j"}} }
	_, _ = both(p, func(s runs.Store) (any, error) { return nil, s.Finish(p.t.Context(), w, o) })
}

func (p *pair) release(r *rapid.T) {
	w, run := p.worker(r), p.run(r)
	_, _ = both(p, func(s runs.Store) (any, error) { return nil, s.Release(p.t.Context(), w, run) })
}

func (p *pair) delete(r *rapid.T) {
	owner, thread, run := p.owner(r), p.thread(r), p.run(r)
	if rapid.Bool().Draw(r, "thread") {
		_, _ = both(p, func(s runs.Store) (any, error) { return nil, s.DeleteThread(p.t.Context(), owner, thread) })
		return
	}
	_, _ = both(p, func(s runs.Store) (any, error) { return nil, s.DeleteRun(p.t.Context(), owner, run) })
}

func (p *pair) read(r *rapid.T) {
	owner, thread, run := p.owner(r), p.thread(r), p.run(r)
	_, _ = both(p, func(s runs.Store) (*runs.Thread, error) { return s.Thread(p.t.Context(), owner, thread) })
	_, _ = both(p, func(s runs.Store) ([]runs.Event, error) {
		return s.Events(p.t.Context(), owner, run, runs.FirstSeq(1)+2, 3)
	})
	q := &runs.RunQuery{Limit: rapid.IntRange(0, 3).Draw(r, "limit"), Offset: rapid.IntRange(0, 2).Draw(r, "offset")}
	q.Status = rapid.SampledFrom([]runs.Status{"", runs.Pending, runs.Running, runs.Interrupted}).Draw(r, "status")
	_, _ = both(p, func(s runs.Store) ([]runs.Run, error) {
		rows, err := s.FindRuns(p.t.Context(), owner, thread, q)
		return p.normal(rows), err
	})
}

// found is a page with the number of all rows.
type foundPage[T any] struct {
	page  []T
	total int
}

func page(r *rapid.T, sorts ...runs.Sort) runs.Page {
	return runs.Page{
		Limit: rapid.IntRange(0, 3).Draw(r, "limit"), Offset: rapid.IntRange(0, 3).Draw(r, "offset"),
		Sort: rapid.SampledFrom(sorts).Draw(r, "sort"), Ascending: rapid.Bool().Draw(r, "ascending"),
	}
}

func (p *pair) find(r *rapid.T) {
	owner := p.owner(r)
	q := &runs.ThreadQuery{
		Page: page(r, "", runs.SortID, runs.SortUpdated, runs.SortStatus, runs.SortAgent, runs.SortStepped, "odd"),
	}
	q.Status = rapid.SampledFrom([]runs.ThreadStatus{"", runs.ThreadIdle, runs.ThreadBusy, runs.ThreadInterrupted}).Draw(r, "status")
	if rapid.Bool().Draw(r, "filtered") {
		q.Metadata = metadata(r)
	}
	if rapid.Bool().Draw(r, "by id") {
		q.IDs = []string{p.thread(r), p.thread(r), "\xff"}
	}
	_, _ = both(p, func(s runs.Store) (out foundPage[runs.Thread], err error) {
		out.page, out.total, err = s.FindThreads(p.t.Context(), owner, q)
		return out, err
	})
}

func (p *pair) assistants(r *rapid.T) {
	owner, id := p.owner(r), p.prefix+rapid.StringMatching(`[ab]`).Draw(r, "assistant")
	name, m, version := rapid.SampledFrom([]string{"Ä", "äb", "", "%"}).Draw(r, "name"), metadata(r), rapid.IntRange(0, 3).Draw(r, "version")
	switch rapid.IntRange(0, 5).Draw(r, "what") {
	case 0:
		_, _ = both(p, func(s runs.Store) (runs.Assistant, error) {
			a := runs.Assistant{Owner: owner, ID: id, Agent: "agent", Name: name, Metadata: m}
			err := s.CreateAssistant(p.t.Context(), &a)
			return a, err
		})
	case 1:
		_, _ = both(p, func(s runs.Store) (*runs.Assistant, error) {
			return s.ChangeAssistant(p.t.Context(), owner, id, func(a *runs.Assistant) error {
				a.Name, a.Metadata = name, m
				return nil
			})
		})
	case 2:
		_, _ = both(p, func(s runs.Store) (*runs.Assistant, error) { return s.UseVersion(p.t.Context(), owner, id, version) })
	case 3:
		_, _ = both(p, func(s runs.Store) ([]runs.Assistant, error) {
			return s.Versions(p.t.Context(), owner, id, m, 2, version)
		})
	case 4:
		_, _ = both(p, func(s runs.Store) (any, error) { return nil, s.DeleteAssistant(p.t.Context(), owner, id) })
	default:
		q := &runs.AssistantQuery{Name: name, Page: page(r, "", runs.SortID, runs.SortName, runs.SortUpdated)}
		_, _ = both(p, func(s runs.Store) (out foundPage[runs.Assistant], err error) {
			out.page, out.total, err = s.FindAssistants(p.t.Context(), owner, q)
			return out, err
		})
	}
}

// clear takes the runs of the case from the queues.
func (p *pair) clear() {
	for _, s := range []runs.Store{p.a, p.b} {
		for _, id := range []string{"v", "w"} {
			for _, run := range p.runs {
				_ = s.Finish(p.t.Context(), &runs.Worker{ID: p.prefix + id, Lease: time.Hour}, &runs.Outcome{Run: run, Remove: true})
			}
		}
	}
}
