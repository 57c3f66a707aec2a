package hosts_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/tck/hosts"
	"github.com/agenthost/agenthost/tck/internal/emit"
)

// def makes a case. The recorded outcome is that of this repository's host. The checks in holds are written by hand from
// SPEC.md, and the outcome must satisfy them.
type def struct {
	hosts.Case

	modules  map[string][]byte
	volatile []string // places of the outcome where each host has its own words
	holds    []func(t *testing.T, out *hosts.Outcome)
}

type object = map[string]any

// option changes a case.
type option func(d *def)

// newCase returns a case with one plugin and an agent whose model says hello.
func newCase(name string, m *emit.Module, options ...option) *def {
	d := &def{Case: hosts.Case{Name: name}, modules: map[string][]byte{}}
	d.Agent.Model = []hosts.Turn{say("a1", "hello")}
	d.Runs = []hosts.Run{{Messages: []abi.Message{human("h1", "hi")}}}
	d.add("guest", m)
	for _, o := range options {
		o(d)
	}
	return d
}

// add adds a plugin to the end of the list.
func (d *def) add(name string, m *emit.Module) {
	file := d.Name + ".wasm"
	if len(d.Plugins) > 0 {
		file = d.Name + "." + name + ".wasm"
	}
	d.modules[file] = m.Bytes()
	d.Plugins = append(d.Plugins, hosts.Plugin{Name: name, Module: file})
}

func human(id, text string) abi.Message {
	m := abi.Human(text)
	m.ID = id
	return m
}

func say(id, text string, calls ...abi.ToolCall) hosts.Turn {
	m := abi.AI(text, calls...)
	m.ID = id
	return hosts.Turn{Message: &m}
}

// Options.

func says(sentences ...string) option {
	return func(d *def) { d.Says = append(d.Says, sentences...) }
}

// searching makes the model call the tool search once, and then say done.
func searching(d *def) {
	d.Agent.Model = []hosts.Turn{say("a1", "", abi.Call("c1", "search", object{"q": "x"})), say("a2", "done")}
	d.Agent.Tools = append(d.Agent.Tools, hosts.Tool{Name: "search", Answer: "found"})
}

// looping makes the model call the tool search n times.
func looping(n int) option {
	return func(d *def) {
		searching(d)
		d.Agent.Model = nil
		for i := range n {
			id := string(rune('1' + i))
			d.Agent.Model = append(d.Agent.Model, say("a"+id, "", abi.Call("c"+id, "search", nil)))
		}
		d.Agent.Model = append(d.Agent.Model, say("last", "done"))
	}
}

func modelSays(turns ...hosts.Turn) option { return func(d *def) { d.Agent.Model = turns } }

func fails(message string) hosts.Turn { return hosts.Turn{Error: message} }

func withTool(t hosts.Tool) option { return func(d *def) { d.Agent.Tools = append(d.Agent.Tools, t) } }

func grant(g hosts.Grant) option { return func(d *def) { d.Plugins[0].Grant = g } }

func limits(l hosts.Limits) option { return func(d *def) { d.Plugins[0].Limits = l } }

func open(d *def) { d.Plugins[0].OnFailure = "open" }

func config(values object) option {
	return func(d *def) { d.Plugins[0].Config = mapOf(values) }
}

// field makes the agent declare a field.
func field(name string) option {
	return func(d *def) { d.Agent.State = append(d.Agent.State, hosts.Field{Name: name, Lifetime: "thread"}) }
}

// input sets the state of the first run.
func input(state object) option { return func(d *def) { d.Runs[0].State = mapOf(state) } }

// runContext sets the context of the first run.
func runContext(values object) option { return func(d *def) { d.Runs[0].Context = mapOf(values) } }

func messages(list ...abi.Message) option { return func(d *def) { d.Runs[0].Messages = list } }

// twice lists the plugin again.
func twice(d *def) { d.Plugins = append(d.Plugins, d.Plugins[0]) }

// inner adds a plugin inside the others.
func inner(name string, m *emit.Module) option { return func(d *def) { d.add(name, m) } }

// volatile names places of the outcome, such as /runs/0/log/1/text.
func volatile(places ...string) option {
	return func(d *def) { d.volatile = append(d.volatile, places...) }
}

// thread puts all runs into one thread.
func thread(d *def) {
	for i := range d.Runs {
		d.Runs[i].Thread = "t1"
	}
}

func then(r hosts.Run) option { return func(d *def) { d.Runs = append(d.Runs, r) } }

// resume answers the pending interrupts, in the thread of the first run.
func resume(answers object) option {
	return func(d *def) {
		d.Runs[0].Thread = "t1"
		d.Runs = append(d.Runs, hosts.Run{Thread: "t1", Resume: mapOf(answers)})
	}
}

func mapOf(values object) wire.Map {
	m, err := wire.MapOf(values)
	if err != nil {
		panic(err)
	}
	return m
}

// Expectations.

func holds(f func(t *testing.T, out *hosts.Outcome)) option {
	return func(d *def) { d.holds = append(d.holds, f) }
}

func refused(d *def) {
	d.holds = append(d.holds, func(t *testing.T, out *hosts.Outcome) {
		t.Helper()
		require.True(t, out.Refused)
	})
}

func lastRun(out *hosts.Outcome) *hosts.RunOutcome { return &out.Runs[len(out.Runs)-1] }

func status(want string) option {
	return holds(func(t *testing.T, out *hosts.Outcome) {
		t.Helper()
		require.NotEmpty(t, out.Runs, "it is refused")
		require.Equal(t, want, lastRun(out).Status, "%v", lastRun(out).Error)
	})
}

// fault expects the last run to fail with a fault.
func fault(kind, hook string) option {
	return func(d *def) {
		status("failed")(d)
		holds(func(t *testing.T, out *hosts.Outcome) {
			t.Helper()
			require.Equal(t, &hosts.Failure{Kind: kind, Hook: hook}, lastRun(out).Error)
		})(d)
	}
}

// failed expects the last run to fail with an error of this type.
func failed(kind string) option {
	return func(d *def) {
		status("failed")(d)
		holds(func(t *testing.T, out *hosts.Outcome) {
			t.Helper()
			require.Equal(t, kind, lastRun(out).Error.Type)
		})(d)
	}
}

// has expects these texts in a part of the last run's outcome, shown as JSON.
func has(part func(*hosts.RunOutcome) any, texts ...string) option {
	return holds(func(t *testing.T, out *hosts.Outcome) {
		t.Helper()
		b, err := json.Marshal(part(lastRun(out)))
		require.NoError(t, err)
		for _, text := range texts {
			require.Contains(t, string(b), text)
		}
	})
}

func hasNot(part func(*hosts.RunOutcome) any, text string) option {
	return holds(func(t *testing.T, out *hosts.Outcome) {
		t.Helper()
		b, err := json.Marshal(part(lastRun(out)))
		require.NoError(t, err)
		require.NotContains(t, string(b), text)
	})
}

func history(r *hosts.RunOutcome) any   { return r.Messages }
func state(r *hosts.RunOutcome) any     { return r.State }
func requests(r *hosts.RunOutcome) any  { return r.Requests }
func toolCalls(r *hosts.RunOutcome) any { return r.ToolCalls }
func events(r *hosts.RunOutcome) any    { return r.Events }
func logged(r *hosts.RunOutcome) any    { return r.Log }

// frame selects the n-th frame of the last run, from 0.
func frame(n int) func(*hosts.RunOutcome) any {
	return func(r *hosts.RunOutcome) any { return r.Frames[n] }
}

// given selects the input of the n-th frame of the last run.
func given(n int) func(*hosts.RunOutcome) any {
	return func(r *hosts.RunOutcome) any { return r.Frames[n].Input }
}

// frames expects the last run to have n frames.
func frames(n int) option {
	return holds(func(t *testing.T, out *hosts.Outcome) {
		t.Helper()
		require.Len(t, lastRun(out).Frames, n)
	})
}

// statuses expects these statuses of the exchanges in the first frame of the last run.
func statuses(want ...abi.Status) option {
	return holds(func(t *testing.T, out *hosts.Outcome) {
		t.Helper()
		var got []abi.Status
		for _, e := range lastRun(out).Frames[0].Exchanges {
			got = append(got, abi.Status(*e.Status))
		}
		require.Equal(t, want, got)
	})
}

// Guests.

// hooked returns a guest with one hook. The hook returns 0 unless its body returns earlier.
func hooked(hook abi.Hook, spec abi.HookSpec, body func(m *emit.Module) emit.Code, fields ...abi.FieldSpec) *emit.Module {
	m := emit.Hooked(hook, spec, fields...)
	code := emit.Code(nil)
	if body != nil {
		code = body(m)
	}
	return m.On(string(hook), code, emit.Number(0))
}

// writes returns a body that writes a result.
func writes(result any) func(m *emit.Module) emit.Code {
	return func(m *emit.Module) emit.Code { return emit.Seq(m.Say(emit.Value(result)), emit.Return) }
}

// operation is a call of an operation, and its expected status.
type operation struct {
	op   string
	doc  any // nil: none
	want abi.Status
}

// operates returns a body that calls operations, and traps if one returns another status.
func operates(all ...operation) func(m *emit.Module) emit.Code {
	return func(m *emit.Module) emit.Code {
		var out emit.Code
		for _, o := range all {
			var doc []byte
			if o.doc != nil {
				doc = emit.Value(o.doc)
			}
			out = append(out, emit.Seq(m.Operate(o.op, doc), emit.Expect(o.want))...)
		}
		return out
	}
}

// nexts returns a body that calls next, traps if it returns another status, and then continues.
func nexts(doc any, want abi.Status, more ...func(m *emit.Module) emit.Code) func(m *emit.Module) emit.Code {
	return func(m *emit.Module) emit.Code {
		var b []byte
		if doc != nil {
			b = emit.Value(doc)
		}
		out := emit.Seq(m.Forward(b), emit.Expect(want))
		for _, f := range more {
			out = append(out, f(m)...)
		}
		return out
	}
}

// in returns a body of instructions.
func in(pieces ...emit.Code) func(m *emit.Module) emit.Code {
	return func(*emit.Module) emit.Code { return emit.Seq(pieces...) }
}

// asking returns capabilities for these operations.
func asking(ops ...string) []abi.Capability {
	out := make([]abi.Capability, len(ops))
	for i, op := range ops {
		out[i] = abi.Capability{Op: op, Reason: "for the test"}
	}
	return out
}

// capable returns a guest whose before_agent calls operations that its Description asks for.
func capable(ops []string, all ...operation) *emit.Module {
	d := emit.Describing(abi.BeforeAgent, abi.HookSpec{})
	d.Capabilities = asking(ops...)
	m := emit.New(d)
	return m.On("before_agent", operates(all...)(m), emit.Number(0))
}

func f(name, lifetime, reducer string) abi.FieldSpec {
	return abi.FieldSpec{Name: name, Lifetime: lifetime, Reducer: reducer}
}

func long(n int) string { return strings.Repeat("x", n) }
