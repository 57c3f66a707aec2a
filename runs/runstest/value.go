package runstest

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/runs"
)

func (c *check) invalid() {
	p := c.property()
	bad := runs.Document("{")
	for name, err := range map[string]error{
		"a thread without an id": c.s.CreateThread(c.ctx(), &runs.Thread{Owner: ann}),
		"a thread's document":    c.s.CreateThread(c.ctx(), &runs.Thread{Owner: ann, ID: c.id(), Config: bad}),
		"a thread's metadata":    c.s.CreateThread(c.ctx(), &runs.Thread{Owner: ann, ID: c.id(), Metadata: runs.Metadata{"a": "\x00"}}),
		"an owner":               c.s.CreateThread(c.ctx(), &runs.Thread{Owner: "a\nb", ID: c.id()}),
		"an assistant":           c.s.CreateAssistant(c.ctx(), &runs.Assistant{Owner: ann, ID: c.id()}),
		"a schedule":             c.s.CreateSchedule(c.ctx(), &runs.Schedule{Owner: ann, ID: c.id(), Assistant: "a"}),
		"a run":                  c.s.Submit(c.ctx(), c.newRun(p.thread.ID, func(r *runs.Run) { r.Task = bad }), false, 0, nil),
		"a strategy":             c.s.Submit(c.ctx(), c.newRun(p.thread.ID, func(r *runs.Run) { r.Strategy = "x" }), false, 0, nil),
		"an event":               c.s.Append(c.ctx(), p.worker, []runs.Event{{Run: p.running.ID, Seq: 1, Type: "x"}}),
		"an end":                 c.s.Finish(c.ctx(), p.worker, &runs.Outcome{Run: p.running.ID, Status: runs.Pending}),
		"a worker that appends":  c.s.Append(c.ctx(), &runs.Worker{}, nil),
		"a worker that releases": c.s.Release(c.ctx(), &runs.Worker{}, p.running.ID),
	} {
		require.ErrorIs(c.t, err, runs.ErrInvalidValue, name)
	}
	_, err := c.s.Claim(c.ctx(), &runs.Worker{ID: "w", Lease: -1}, 1)
	require.ErrorIs(c.t, err, runs.ErrInvalidValue)
	_, err = c.s.Cancel(c.ctx(), ann, p.running.ID, "stop")
	require.ErrorIs(c.t, err, runs.ErrInvalidValue)
	calls := c.calls(never)
	for _, name := range doors() {
		require.ErrorIs(c.t, calls[name].do(c.ctx(), c.s, "\xff", p), runs.ErrInvalidValue, name)
	}

	odd := &property{
		thread: &runs.Thread{ID: "a\x00b"}, running: &runs.Run{ID: "\xff"}, pending: &runs.Run{ID: strings.Repeat("x", 1<<16)},
		assistant: &runs.Assistant{ID: ""}, schedule: &runs.Schedule{ID: "'; --"},
	}
	for _, name := range doors() {
		if strings.HasPrefix(name, "Create") || strings.HasPrefix(name, "Find") || name == "Submit" || name == "Spent" {
			continue
		}
		require.ErrorIs(c.t, calls[name].do(c.ctx(), c.s, ann, odd), calls[name].want, "%s: such an id is that of no row", name)
	}
	_, err = c.s.FindRuns(c.ctx(), ann, "a\x00b", &runs.RunQuery{})
	require.ErrorIs(c.t, err, runs.ErrNoThread)
	_, total, err := c.s.FindThreads(c.ctx(), ann, &runs.ThreadQuery{IDs: []string{"a\x00b", "\xff", p.thread.ID}})
	require.NoError(c.t, err)
	require.Equal(c.t, 1, total)
	for _, id := range []string{"", "\xff", "a\x00b"} {
		require.ErrorIs(c.t, c.s.Release(c.ctx(), p.worker, id), runs.ErrNotClaimed)
		_, err = c.s.Begin(c.ctx(), p.worker, id, 1)
		require.ErrorIs(c.t, err, runs.ErrNotClaimed)
		require.ErrorIs(c.t, c.s.Finish(c.ctx(), p.worker, &runs.Outcome{Run: id, Status: runs.Success}), runs.ErrNotClaimed)
		renewal, err := c.s.Renew(c.ctx(), p.worker, []string{id})
		require.NoError(c.t, err)
		require.Equal(c.t, []string{id}, renewal.Lost)
	}
}

func (c *check) badQueries() {
	p := c.property()
	for name, query := range map[string]func() error{
		"threads": func() error {
			_, _, err := c.s.FindThreads(c.ctx(), ann, &runs.ThreadQuery{Page: runs.Page{Sort: "; DROP TABLE"}})
			return err
		},
		"runs": func() error {
			_, err := c.s.FindRuns(c.ctx(), ann, p.thread.ID, &runs.RunQuery{Offset: -1})
			return err
		},
		"versions": func() error {
			_, err := c.s.Versions(c.ctx(), ann, p.assistant.ID, runs.Metadata{"a": 1}, 0, 0)
			return err
		},
		"assistants": func() error {
			_, _, err := c.s.FindAssistants(c.ctx(), ann, &runs.AssistantQuery{Page: runs.Page{Limit: -1}})
			return err
		},
		"schedules": func() error {
			_, _, err := c.s.FindSchedules(c.ctx(), ann, &runs.ScheduleQuery{Page: runs.Page{Sort: runs.SortName}})
			return err
		},
	} {
		require.ErrorIs(c.t, query(), runs.ErrBadQuery, name)
	}
}

// scribble changes all that a document or metadata has.
func scribble(m runs.Metadata, documents ...runs.Document) {
	for key, value := range m {
		if list, ok := value.([]any); ok {
			list[0] = "scribbled"
		}
		if object, ok := value.(map[string]any); ok {
			object["scribbled"] = true
		}
		m[key+"2"] = value
	}
	for _, d := range documents {
		for i := range d {
			d[i] = 'x'
		}
	}
}

// copies holds that a store shares nothing with its callers, neither what it gets nor what it returns.
func (c *check) copies() {
	metadata := func() runs.Metadata { return runs.Metadata{"l": []any{1.0}, "o": map[string]any{"a": nil}} }
	t := c.fullThread()
	t.Metadata = metadata()
	r := c.fullRun(t.ID)
	r.Metadata = metadata()
	a := c.fullAssistant()
	a.Metadata = metadata()
	s := &runs.Schedule{Owner: ann, ID: c.id(), Assistant: "a", Cron: "x", Request: runs.Document(`[1]`), Metadata: metadata(), Enabled: true, Next: noon}
	require.NoError(c.t, c.s.CreateThread(c.ctx(), t))
	require.NoError(c.t, c.s.Submit(c.ctx(), r, false, 0, nil))
	require.NoError(c.t, c.s.CreateAssistant(c.ctx(), a))
	require.NoError(c.t, c.s.CreateSchedule(c.ctx(), s))
	w := worker("w")
	c.mine(w, r)
	e := anEvent(r.ID, 1)
	require.NoError(c.t, c.s.Append(c.ctx(), w, []runs.Event{e}))
	p := &property{thread: t, running: r, assistant: a}
	held := c.holdings(p)

	scribbleAll := func(h holdings) {
		for i := range h.Threads {
			x := &h.Threads[i]
			scribble(x.Metadata, x.Config)
			x.Failure.Message, x.Expiry.After = "scribbled", 1
			for _, w := range x.Waiting {
				scribble(nil, w.Value)
			}
		}
		for _, x := range h.Runs {
			scribble(x.Metadata, x.Task, x.Request)
		}
		for _, x := range append(h.Assistants, h.Versions...) {
			scribble(x.Metadata, x.Config, x.Context)
		}
		for _, x := range h.Schedules {
			scribble(x.Metadata, x.Request)
		}
		for _, x := range h.Events {
			scribble(nil, x.Data)
		}
	}
	scribbleAll(holdings{[]runs.Thread{*t}, []runs.Run{*r}, []runs.Event{e}, []runs.Assistant{*a}, nil, []runs.Schedule{*s}, nil})
	require.Equal(c.t, held, c.holdings(p), "what was given is the caller's")
	scribbleAll(c.holdings(p))
	require.Equal(c.t, held, c.holdings(p), "what was returned is the caller's")

	var leaked *runs.Thread
	out, err := c.s.ChangeThread(c.ctx(), ann, t.ID, func(t *runs.Thread) error { leaked = t; return nil })
	require.NoError(c.t, err)
	scribble(leaked.Metadata, leaked.Config)
	scribble(out.Metadata, out.Config)
	require.Equal(c.t, held.Threads[0].Metadata, c.readThread(t.ID).Metadata)
	require.Equal(c.t, held.Threads[0].Config, c.readThread(t.ID).Config)
}

func (c *check) documents() {
	for _, text := range []string{
		`{"b":1,  "a" : 2, "a": 3}`, ` [ 1.0e2 , 123456789012345678901234567890 ] `, `"\u0000 \ud800 <&> 𝄞"`, `null`, "\"" + strings.Repeat("é", 1<<16) + "\"",
	} {
		r := c.submitTo(c.id(), func(r *runs.Run) { r.Task, r.Request = runs.Document(text), runs.Document(text) })
		require.Equal(c.t, []string{text, text}, []string{string(c.readRun(r.ID).Task), string(c.readRun(r.ID).Request)})
		t := c.thread(func(t *runs.Thread) {
			t.Config, t.Status, t.Waiting = runs.Document(text), runs.ThreadInterrupted, []runs.Interrupt{{ID: "i", Value: runs.Document(text)}}
		})
		require.Equal(c.t, text, string(c.readThread(t.ID).Config))
		var want, got any
		require.NoError(c.t, json.Unmarshal([]byte(text), &want))
		require.NoError(c.t, json.Unmarshal(c.readThread(t.ID).Waiting[0].Value, &got))
		require.Equal(c.t, want, got)
	}
	empty := c.submitTo(c.id(), func(r *runs.Run) { r.Task, r.Request = nil, runs.Document{} })
	require.Nil(c.t, c.readRun(empty.ID).Task)
	require.Nil(c.t, c.readRun(empty.ID).Request)
}

func (c *check) metadata() {
	var m runs.Metadata
	require.NoError(c.t, json.Unmarshal([]byte(`{
		"null": null, "yes": true, "n": 1.5, "large": 1e300, "small": 5e-324, "exact": 9007199254740991, "minus": -0.1, "": "",
		"text": "\u001f \\ \" ' % é 𝄞 \ufffd", "list": [[], {}, [null, [1]]], "object": {"a": {"b": {"c": "d"}}}, "a.b": "$", "имя": "ñ"
	}`), &m))
	t := c.thread(func(t *runs.Thread) { t.Metadata = m })
	require.Equal(c.t, m, c.readThread(t.ID).Metadata)
	for key, value := range m {
		_, total, err := c.s.FindThreads(c.ctx(), ann, &runs.ThreadQuery{Metadata: runs.Metadata{key: value}})
		require.NoError(c.t, err)
		require.Equal(c.t, 1, total, key)
		_, total, err = c.s.FindThreads(c.ctx(), ann, &runs.ThreadQuery{Metadata: runs.Metadata{key: "another"}})
		require.NoError(c.t, err)
		require.Zero(c.t, total, key)
	}
	r := c.submitTo(t.ID, func(r *runs.Run) { r.Metadata = m })
	require.Equal(c.t, m, c.readRun(r.ID).Metadata)
	typed := c.thread(func(t *runs.Thread) { t.Metadata = runs.Metadata{"list": []any(nil), "object": map[string]any(nil)} })
	require.Equal(c.t, runs.Metadata{"list": []any{}, "object": map[string]any{}}, c.readThread(typed.ID).Metadata)

	largest := c.thread(func(t *runs.Thread) { t.Metadata = runs.Metadata{"a": strings.Repeat("é", (runs.MaxMetadata-9)/2)} })
	_, total, err := c.s.FindThreads(c.ctx(), ann, &runs.ThreadQuery{Metadata: c.readThread(largest.ID).Metadata})
	require.NoError(c.t, err)
	require.Equal(c.t, 1, total)
	require.Less(c.t, time.Since(largest.Created), time.Hour)
}
