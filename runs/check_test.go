package runs_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/runs"
)

const id = "0b7f5a8e-5d3c-4c6e-9a53-0f6f7d1f2c11"

func thread(change func(t *runs.Thread)) error {
	t := &runs.Thread{Owner: "ann", ID: id, Config: runs.Document(`{"a":1}`), Agent: "a", Expiry: &runs.Expiry{After: time.Second}}
	change(t)
	return t.Check()
}

func run(change func(r *runs.Run)) error {
	r := &runs.Run{Owner: "ann", ID: id, Thread: id, Agent: "a", Task: runs.Document("null"), Due: time.Unix(1, 0)}
	change(r)
	return r.Check()
}

func assistant(change func(a *runs.Assistant)) error {
	a := &runs.Assistant{ID: id, Agent: "a", Name: "A"}
	change(a)
	return a.Check()
}

func schedule(change func(s *runs.Schedule)) error {
	s := &runs.Schedule{ID: id, Assistant: id, Thread: id, Cron: "@daily", Zone: "Europe/Vienna"}
	change(s)
	return s.Check()
}

func worker(change func(w *runs.Worker)) error {
	w := &runs.Worker{ID: "w:1.2@host", Agents: []string{"a"}, Lease: 1}
	change(w)
	return w.Check()
}

func event(change func(e *runs.Event)) error {
	e := &runs.Event{Run: id, Seq: runs.FirstSeq(1) + 1, Type: "end"}
	change(e)
	return e.Check()
}

func outcome(change func(o *runs.Outcome)) error {
	o := &runs.Outcome{Run: id, Status: runs.Success, Events: []runs.Event{{Run: id, Seq: runs.FirstSeq(1) + 1, Type: "end"}}}
	change(o)
	return o.Check()
}

func TestWhatStoresKeep(t *testing.T) {
	t.Parallel()
	long, bad := strings.Repeat("x", runs.MaxText+1), []string{"\xff", "a\x00b"}
	for i, err := range []error{
		thread(func(*runs.Thread) {}), run(func(*runs.Run) {}), assistant(func(*runs.Assistant) {}), schedule(func(*runs.Schedule) {}),
		worker(func(*runs.Worker) {}), event(func(*runs.Event) {}), outcome(func(*runs.Outcome) {}),
		thread(func(t *runs.Thread) { t.Owner, t.Status = "", runs.ThreadBusy }),
		thread(func(t *runs.Thread) { t.Owner = "Anna Müller <a@b>" }),
		thread(func(t *runs.Thread) { t.Config = runs.Document{} }),
		thread(func(t *runs.Thread) { t.Failure = &runs.Failure{Type: bad[0], Message: bad[1] + long} }),
		run(func(r *runs.Run) { r.Failure = &runs.Failure{Message: bad[0]} }),
		outcome(func(o *runs.Outcome) { o.Status, o.Remove = "", true }),
		runs.CancelKeep.Check(), runs.CancelRollback.Check(), runs.CheckOwner(strings.Repeat("x", runs.MaxOwner)),
	} {
		require.NoError(t, err, i)
	}
	for i, err := range []error{
		runs.CheckID(""), runs.CheckID(strings.Repeat("x", runs.MaxID+1)), runs.CheckID("a b"), runs.CheckID("../a"), runs.CheckID("é"),
		runs.CheckOwner("\n"), runs.CheckOwner(bad[0]), runs.CheckOwner(strings.Repeat("x", runs.MaxOwner+1)), runs.Cancel("").Check(), runs.Cancel("x").Check(),
		thread(func(t *runs.Thread) { t.ID = "a/b" }), thread(func(t *runs.Thread) { t.Owner = bad[1] }),
		thread(func(t *runs.Thread) { t.Metadata = runs.Metadata{"a": 1} }), thread(func(t *runs.Thread) { t.Config = runs.Document("{") }),
		thread(func(t *runs.Thread) { t.Config = runs.Document("\"\xff\"") }),
		thread(func(t *runs.Thread) { t.Config = runs.Document(`"` + strings.Repeat("x", runs.MaxDocument) + `"`) }),
		thread(func(t *runs.Thread) { t.Status = "asleep" }), thread(func(t *runs.Thread) { t.Expiry.After = time.Second - 1 }),
		thread(func(t *runs.Thread) { t.Stepped = time.Unix(0, 0) }), thread(func(t *runs.Thread) { t.Stepped = time.Unix(1<<40, 0) }),
		thread(func(t *runs.Thread) { t.Agent = long }), thread(func(t *runs.Thread) { t.Waiting = make([]runs.Interrupt, 1) }),
		thread(func(t *runs.Thread) { t.Waiting = make([]runs.Interrupt, runs.MaxWaiting+1) }),
		thread(func(t *runs.Thread) { t.Waiting = []runs.Interrupt{{ID: "a", Value: runs.Document("x")}} }),
		run(func(r *runs.Run) { r.ID = "" }), run(func(r *runs.Run) { r.Thread = "" }), run(func(r *runs.Run) { r.Agent = "" }),
		run(func(r *runs.Run) { r.Strategy = "wait" }), run(func(r *runs.Run) { r.Task = runs.Document("x") }), run(func(r *runs.Run) { r.Webhook = long }),
		run(func(r *runs.Run) { r.Request = runs.Document("x") }), run(func(r *runs.Run) { r.Due = time.Unix(-1, 0) }), run(func(r *runs.Run) { r.Assistant = bad[0] }),
		assistant(func(a *runs.Assistant) { a.ID = "" }), assistant(func(a *runs.Assistant) { a.Agent = "" }), assistant(func(a *runs.Assistant) { a.Name = bad[0] }),
		assistant(func(a *runs.Assistant) { a.Description = long }), assistant(func(a *runs.Assistant) { a.Context = runs.Document("x") }),
		schedule(func(s *runs.Schedule) { s.Cron = "" }), schedule(func(s *runs.Schedule) { s.Thread = "a b" }), schedule(func(s *runs.Schedule) { s.Zone = long }),
		worker(func(w *runs.Worker) { w.ID = "" }), worker(func(w *runs.Worker) { w.Lease = 0 }), worker(func(w *runs.Worker) { w.Agents = []string{""} }),
		worker(func(w *runs.Worker) { w.Agents = make([]string, runs.MaxAgents+1) }),
		event(func(e *runs.Event) { e.Seq = 1 }), event(func(e *runs.Event) { e.Seq = runs.FirstSeq(1) }), event(func(e *runs.Event) { e.Seq = 1 << 63 }),
		event(func(e *runs.Event) { e.Type = "" }), event(func(e *runs.Event) { e.Data = runs.Document("x") }),
		outcome(func(o *runs.Outcome) { o.Status = runs.Running }), outcome(func(o *runs.Outcome) { o.Status = "" }), outcome(func(o *runs.Outcome) { o.Status = "done" }),
		outcome(func(o *runs.Outcome) { o.Run = "other" }), outcome(func(o *runs.Outcome) { o.Events[0].Seq = 0 }),
	} {
		require.ErrorIs(t, err, runs.ErrInvalidValue, i)
		require.Less(t, len(err.Error()), 600, "an error does not repeat a long value")
	}
}

func TestWhatStoresAnswer(t *testing.T) {
	t.Parallel()
	for i, err := range []error{
		(&runs.ThreadQuery{Page: runs.Page{Limit: 1 << 40, Offset: 1 << 40, Sort: runs.SortStatus}, Status: runs.ThreadBusy}).Check(),
		(&runs.RunQuery{Status: runs.TimedOut}).Check(), (&runs.AssistantQuery{Page: runs.Page{Sort: runs.SortName}}).Check(),
		(&runs.ScheduleQuery{Page: runs.Page{Sort: runs.SortNext}}).Check(), runs.CheckVersions(nil, 0, 0),
	} {
		require.NoError(t, err, i)
	}
	for i, err := range []error{
		(&runs.ThreadQuery{Page: runs.Page{Limit: -1}}).Check(), (&runs.ThreadQuery{Page: runs.Page{Offset: -1}}).Check(),
		(&runs.ThreadQuery{Page: runs.Page{Sort: runs.SortName}}).Check(), (&runs.ThreadQuery{Status: "asleep"}).Check(),
		(&runs.ThreadQuery{IDs: make([]string, runs.MaxPage+1)}).Check(), (&runs.RunQuery{Status: "x"}).Check(), (&runs.RunQuery{Limit: -1}).Check(),
		(&runs.AssistantQuery{Page: runs.Page{Sort: runs.SortStatus}}).Check(), (&runs.AssistantQuery{Name: "\xff"}).Check(),
		(&runs.AssistantQuery{Agent: strings.Repeat("x", runs.MaxName+1)}).Check(), (&runs.AssistantQuery{Metadata: runs.Metadata{"a": 1}}).Check(),
		(&runs.ScheduleQuery{Page: runs.Page{Sort: runs.SortStepped}}).Check(), (&runs.ScheduleQuery{Thread: "\x00"}).Check(),
		runs.CheckVersions(nil, -1, 0), runs.CheckVersions(runs.Metadata{"a": 1}, 0, 0),
	} {
		require.ErrorIs(t, err, runs.ErrBadQuery, i)
	}
	require.Equal(t, []int{runs.DefaultPage, 1, runs.MaxPage}, []int{runs.PageSize(0), runs.PageSize(1), runs.PageSize(runs.MaxPage + 1)})
}
