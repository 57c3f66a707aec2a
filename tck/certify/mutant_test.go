package certify_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/internal/wasmbin"
	"github.com/agenthost/agenthost/tck/certify"
	"github.com/agenthost/agenthost/tck/internal/emit"
)

// mutant is a guest that does one thing wrong.
type mutant struct {
	name   string
	module []byte
	fails  []string // all checks that it fails
}

type object = map[string]any

// hookOf returns a guest with one hook that has this body.
func hookOf(hook abi.Hook, spec abi.HookSpec, body func(m *emit.Module) emit.Code, fields ...abi.FieldSpec) []byte {
	m := emit.Hooked(hook, spec, fields...)
	return m.On(string(hook), body(m), emit.Number(0)).Bytes()
}

// says returns a guest whose before_model writes a result.
func says(result any, fields ...abi.FieldSpec) []byte {
	return hookOf(abi.BeforeModel, abi.HookSpec{Messages: abi.ViewAll()}, func(m *emit.Module) emit.Code {
		return emit.Seq(m.Say(emit.Value(result)), emit.Return)
	}, fields...)
}

// saysIf returns a guest whose before_model writes a result if the input has these bytes.
func saysIf(needle string, result any) []byte {
	return hookOf(abi.BeforeModel, abi.HookSpec{Messages: abi.ViewAll()}, func(m *emit.Module) emit.Code {
		return emit.Seq(m.InputHas([]byte(needle)), emit.When(m.Say(emit.Value(result)), emit.Return))
	})
}

// trapsIf returns a guest whose before_model traps if the input has these bytes.
func trapsIf(needle string, spec abi.HookSpec, fields ...abi.FieldSpec) []byte {
	return hookOf(abi.BeforeModel, spec, func(m *emit.Module) emit.Code {
		return emit.Seq(m.InputHas([]byte(needle)), emit.When(emit.Trap))
	}, fields...)
}

// nexts returns a guest whose wrap hook calls next with a document and puts the status into variable 1. The code in
// then may use the status.
func nexts(hook abi.Hook, doc any, then ...emit.Code) []byte {
	return hookOf(hook, abi.HookSpec{Messages: abi.ViewAll()}, func(m *emit.Module) emit.Code {
		var b []byte
		if doc != nil {
			b = emit.Value(doc)
		}
		return emit.Seq(m.Forward(b), emit.Status(), emit.Set(1), emit.Seq(then...))
	})
}

func trapsAt(status abi.Status) emit.Code {
	return emit.Seq(emit.Get(1), emit.Is(int(status)), emit.When(emit.Trap))
}

// replies returns a guest whose wrap hook traps if the reply of next has these bytes.
func replies(needle string) []byte {
	return hookOf(abi.WrapModelCall, abi.HookSpec{}, func(m *emit.Module) emit.Code {
		return emit.Seq(m.Forward(nil), emit.Drop, m.ReplyHas([]byte(needle)), emit.When(emit.Trap))
	})
}

// operates returns a guest whose before_model calls an operation. The code in then may use the status.
func operates(op string, doc []byte, capability *abi.Capability, then ...emit.Code) []byte {
	d := emit.Describing(abi.BeforeModel, abi.HookSpec{Messages: abi.ViewAll()})
	if capability != nil {
		d.Capabilities = []abi.Capability{*capability}
	}
	m := emit.New(d)
	return m.On("before_model", m.Operate(op, doc), emit.Status(), emit.Set(1), emit.Seq(then...), emit.Number(0)).Bytes()
}

// asks returns a guest whose before_model calls an operation, and traps if the reply has these bytes, or if it does not.
func asks(op string, doc []byte, capability *abi.Capability, needle string, has bool) []byte {
	d := emit.Describing(abi.BeforeModel, abi.HookSpec{})
	if capability != nil {
		d.Capabilities = []abi.Capability{*capability}
	}
	m := emit.New(d)
	trap := emit.Seq(m.ReplyHas([]byte(needle)), emit.When(emit.Trap))
	if !has {
		trap = emit.Seq(m.ReplyHas([]byte(needle)), emit.Not(), emit.When(emit.Trap))
	}
	return m.On("before_model", m.Operate(op, doc), emit.Status(), emit.Not(), emit.When(trap), emit.Number(0)).Bytes()
}

func httpFetch() *abi.Capability { return &abi.Capability{Op: abi.OpHTTPFetch, Reason: "to ask"} }

// fetches is a batch of two requests.
func fetches() []byte {
	call := object{"op": abi.OpHTTPFetch, "payload": object{"url": "https://example.com/"}}
	return emit.Value(object{"calls": []any{call, call}})
}

// shownContext returns a guest that is shown the tenant, and traps if the input has these bytes.
func shownContext(needle string) []byte {
	d := emit.Describing(abi.BeforeModel, abi.HookSpec{})
	d.Context = []string{"tenant"}
	m := emit.New(d)
	return m.On("before_model", m.InputHas([]byte(needle)), emit.When(emit.Trap), emit.Number(0)).Bytes()
}

// describes returns a module with a before_model and a Description that abi's types cannot express.
func describes(changes object) []byte {
	d := object{"abi": 1, "name": "guest", "version": "1", "hooks": object{"before_model": object{}}}
	maps.Copy(d, changes)
	return emit.Raw(emit.Value(d)).On("before_model", emit.Number(0)).Bytes()
}

// configures returns a module whose configure writes a document.
func configures(written any) []byte {
	d := emit.Describing(abi.BeforeModel, abi.HookSpec{}, abi.FieldSpec{Name: "f", Lifetime: "run"})
	m := emit.New(d)
	m.On("before_model", emit.Number(0)).On("before_agent", emit.Number(0))
	return m.On("configure", m.Say(emit.Value(written))).Bytes()
}

// narrowed returns the Description of configures with changes.
func narrowed(changes object) object {
	d := object{"abi": 1, "name": "guest", "version": "1.0.0", "hooks": object{"before_model": object{}}}
	maps.Copy(d, changes)
	return d
}

const messageM1 = "\xa5hello\xa2id\xa2m1"

func mutants() []mutant {
	plain := func(body ...emit.Code) []byte {
		return hookOf(abi.BeforeModel, abi.HookSpec{}, func(*emit.Module) emit.Code { return emit.Seq(body...) })
	}
	fine := func() *emit.Module {
		return emit.Hooked(abi.BeforeModel, abi.HookSpec{}).On("before_model", emit.Number(0))
	}
	changed := func(change func(m *emit.Module)) []byte {
		m := fine()
		change(m)
		return m.Bytes()
	}
	kvGet := &abi.Capability{Op: abi.OpKVGet, Reason: "to remember"}
	key := emit.Document(&abi.KVGet{Key: "k", Scope: abi.ScopeRun})
	tool := func(body func(m *emit.Module) emit.Code) []byte {
		m := emit.New(abi.Description{Tools: []abi.ToolSpec{{Name: "own"}}})
		return m.On("call_tool", body(m)).Bytes()
	}
	return []mutant{
		// §1, §2
		{"a malformed result before a good one", hookOf(abi.BeforeModel, abi.HookSpec{}, func(m *emit.Module) emit.Code {
			return emit.Seq(m.Write([]byte{0xc1}), m.Say(emit.Value(object{})), emit.Return)
		}), []string{"frame.msgpack"}},
		{"an error for keys that it does not know", saysIf("key_of_tomorrow", object{"error": object{"type": "x", "message": "what?"}}), []string{"call.unknown-keys"}},
		{"no module", []byte("\x00asm\x02\x00\x00\x00"), []string{"module.form"}},
		{"a program", changed(func(m *emit.Module) { m.Add(emit.Function{Name: "_start"}) }), []string{"module.form"}},
		{"no memory", changed(func(m *emit.Module) { m.NoMemory = true }), []string{"module.memory"}},
		{"no marker", changed(func(m *emit.Module) { m.Without(abi.Marker) }), []string{"module.marker"}},
		{"no describe", changed(func(m *emit.Module) { m.Without(abi.ExportDescribe) }), []string{"module.describe"}},
		{"a hook of another type", changed(func(m *emit.Module) { m.Add(emit.Function{Name: "after_model"}) }), []string{"module.exports"}},
		{"an import that nobody has", changed(func(m *emit.Module) { m.Imports[0].Module = "env" }), []string{"module.imports"}},
		{"an import of another type", changed(func(m *emit.Module) { m.Imports[emit.ClockTimeGet].Params = emit.I32 }), []string{"module.imports"}},
		{"a section that says something else", changed(func(m *emit.Module) { m.After = wasmbin.Custom("agenthost.description", 0x80) }), []string{
			"module.description",
		}},
		{"_initialize that traps", changed(func(m *emit.Module) { m.Add(emit.Function{Name: abi.Initialize, Body: emit.Trap}) }), []string{"module.instance"}},

		// §3
		{"describe that says nothing", changed(func(m *emit.Module) {
			m.Without(abi.ExportDescribe).Add(emit.Function{Name: abi.ExportDescribe, Results: emit.I32, Body: emit.Number(0)})
		}), []string{"describe.returns"}},
		{"describe that calls an operation", changed(func(m *emit.Module) {
			body := emit.Seq(m.Operate(abi.OpBudget, nil), emit.Drop, emit.Number(0))
			m.Without(abi.ExportDescribe).Add(emit.Function{Name: abi.ExportDescribe, Results: emit.I32, Body: body})
		}), []string{"describe.returns", "frame.load"}},
		{"configure that calls next", configureBody(func(m *emit.Module) emit.Code { return emit.Seq(m.Forward(nil), emit.Drop, emit.Number(0)) }), []string{
			"configure.accepts", "frame.load",
		}},
		{"a Description of texts", describes(object{"abi": "1"}), []string{"describe.types"}},
		{"no version", describes(object{"version": ""}), []string{"describe.empty"}},
		{"a capability without a reason", describes(object{"capabilities": []any{object{"op": "clock.now"}}}), []string{"describe.empty"}},
		{"tokens past a node hook", hookOf(abi.AfterModel, abi.HookSpec{PassesTokens: true}, func(*emit.Module) emit.Code { return nil }), []string{
			"describe.specs",
		}},
		{"a misspelt key of the Description", describes(object{"tool": []any{}}), []string{"describe.keys"}},
		{"another ABI", describes(object{"abi": 2}), []string{"describe.abi"}},
		{"a name with a space", describes(object{"name": "a b"}), []string{"describe.names"}},
		{"the name of a field", describes(object{"fields": []any{object{"name": "", "lifetime": "run"}}}), []string{"describe.names"}},
		{"a key of the context with a space", describes(object{"context": []any{"a b"}}), []string{"describe.names"}},
		{"too many keys of the context", describes(object{"context": slices.Repeat([]any{"k"}, 257)}), []string{"describe.limits"}},
		{"a field twice", describes(object{"fields": []any{object{"name": "f", "lifetime": "run"}, object{"name": "f", "lifetime": "run"}}}), []string{"describe.unique"}},
		{"a capability twice", describes(object{"capabilities": []any{object{"op": "clock.now", "reason": "x"}, object{"op": "clock.now", "reason": "y"}}}), []string{
			"describe.unique",
		}},
		{"a lifetime that there is not", describes(object{"fields": []any{object{"name": "f", "lifetime": "forever"}}}), []string{"describe.fields"}},
		{"a reducer that there is not", describes(object{"fields": []any{object{"name": "f", "lifetime": "run", "reducer": "max"}}}), []string{"describe.fields"}},
		{"a schema with a reference", describes(object{"config_schema": object{"$ref": "#"}}), []string{"describe.schemas"}},
		{"a schema that is deep", describes(object{"fields": []any{object{"name": "f", "lifetime": "run", "schema": deepSchema()}}}), []string{"describe.schemas"}},
		{"parameters that are a list", describes(object{"tools": []any{object{"name": "t", "description": "", "parameters": object{"type": "array"}}}}), []string{
			"describe.exported", "describe.schemas",
		}},
		{"a hook that is not exported", describes(object{"hooks": object{"after_model": object{}}}), []string{"describe.exported"}},
		{"a tool without call_tool", describes(object{"tools": []any{object{"name": "t", "description": ""}}}), []string{"describe.exported"}},
		{"a view new in a wrap hook", hookOf(abi.WrapModelCall, abi.HookSpec{Messages: abi.ViewNew()}, func(*emit.Module) emit.Code { return nil }), []string{
			"describe.specs",
		}},
		{"tools in a node hook", hookOf(abi.BeforeModel, abi.HookSpec{Tools: []string{"search"}}, func(*emit.Module) emit.Code { return nil }), []string{
			"describe.specs",
		}},
		{"a jump to nowhere", hookOf(abi.BeforeModel, abi.HookSpec{CanJumpTo: []string{"start"}}, func(*emit.Module) emit.Code { return nil }), []string{
			"describe.specs",
		}},
		{"too many names", hookOf(abi.BeforeModel, abi.HookSpec{Reads: manyNames()}, func(*emit.Module) emit.Code { return nil }), []string{"describe.limits"}},
		{"configure that takes everything", configures(narrowed(nil)), []string{"configure.refuses"}},
		{"configure that changes a tool", configuresTool(object{"name": "own", "description": "", "idempotent": false}), []string{"configure.subset"}},
		{"configure that changes a capability", configuresCapability(), []string{"configure.subset"}},
		{"configure that traps at true", configuredTrap(), []string{"configure.any"}},
		{"a trap where it was configured with true", configuredLater(), []string{"configure.works"}},
		{"configure that writes no Description", configures(object{"abi": "x"}), []string{"configure.description"}},
		{"configure that changes the version", configures(narrowed(object{"version": "2"})), []string{"configure.identity"}},
		{"configure that adds a field", configures(narrowed(object{"fields": []any{object{"name": "g", "lifetime": "run"}}})), []string{"configure.subset"}},
		{"configure that adds a key to the context", configures(narrowed(object{"context": []any{"tenant"}})), []string{"configure.subset"}},
		{"configure that changes a field", configures(narrowed(object{"fields": []any{object{"name": "f", "lifetime": "thread"}}})), []string{"configure.subset"}},
		{"configure that adds a capability", configures(narrowed(object{"capabilities": []any{object{"op": "clock.now", "reason": "x"}}})), []string{
			"configure.subset",
		}},
		{"configure that adds a hook", configures(narrowed(object{"hooks": object{"before_agent": object{}}})), []string{"configure.hooks"}},
		{"configure that widens a view", configures(narrowed(object{"hooks": object{"before_model": object{"messages": "all"}}})), []string{"configure.hooks"}},
		{"configure that adds what it reads", configures(narrowed(object{"hooks": object{"before_model": object{"reads": []any{"f"}}}})), []string{
			"configure.hooks",
		}},

		// §4
		{"a pointer past the end", plain(emit.Number(-256), emit.Number(16), emit.Call(emit.ResultWrite), emit.Drop), []string{"frame.pointer"}},
		{"a buffer past the end", plain(emit.Number(-4), emit.Number(1<<20), emit.Call(emit.InputRead), emit.Drop), []string{"frame.pointer"}},
		{"a return of 7", plain(emit.Exit(7)), []string{"frame.return"}},
		{"a return of 1 without a result", plain(emit.Exit(1)), []string{"frame.written"}},
		{"a log level of 9", hookOf(abi.BeforeModel, abi.HookSpec{}, func(m *emit.Module) emit.Code { return m.Print(9, "x") }), []string{"frame.log"}},
		{"a result that is too large", plain(emit.Number(emit.Input), emit.Number(1<<20+1), emit.Call(emit.ResultWrite), emit.Drop), []string{
			"frame.msgpack", "frame.size",
		}},
		{"next in a node hook", hookOf(abi.BeforeModel, abi.HookSpec{}, func(m *emit.Module) emit.Code { return emit.Seq(m.Forward(nil), emit.Drop) }), []string{
			"frame.next",
		}},
		{"next in call_tool", tool(func(m *emit.Module) emit.Code {
			return emit.Seq(m.Forward(nil), emit.Drop, m.Say(emit.Value(object{"tool_message": object{}})))
		}), []string{"frame.next"}},
		{"next again after an interrupt", hookOf(abi.WrapModelCall, abi.HookSpec{}, func(m *emit.Module) emit.Code {
			return emit.Repeat(2, m.Forward(nil), emit.Drop)
		}), []string{"closed.returns"}},

		// §5, §6, §8, §9, §11, §12
		{"state that is a number", says(object{"state": 1}), []string{"result.types"}},
		{"a message whose content is a number", says(object{"messages": []any{object{"role": "ai", "content": 1}}}), []string{"result.types"}},
		{"a block without a type", says(object{"messages": []any{object{"role": "ai", "content": []any{object{"text": "x"}}}}}), []string{"result.types"}},
		{"response in a node hook", says(object{"response": object{}}), []string{"result.keys"}},
		{"jump_to in a wrap hook", nextsAndSays(abi.WrapToolCall, object{"jump_to": "end"}), []string{"result.keys"}},
		{"memory that it never frees", hookOf(abi.BeforeModel, abi.HookSpec{}, func(*emit.Module) emit.Code {
			return emit.Seq(emit.Number(1), emit.Code{0x40, 0x00}, emit.Drop) // memory.grow
		}), []string{"instance.leaks"}},
		{"a misspelt key of the result", says(object{"jumpto": "end"}), []string{"result.known-keys"}},
		{"a jump that was not declared", says(object{"jump_to": "end"}), []string{"result.jump"}},
		{"a field that was not declared", says(object{"state": object{"f": 1}}), []string{"result.fields"}},
		{"a text that is added", says(object{"state": object{"f": "x"}}, abi.FieldSpec{Name: "f", Lifetime: "run", Reducer: "add"}), []string{"result.values"}},
		{"a value that does not fit its schema", says(object{"state": object{"f": "x"}}, abi.FieldSpec{
			Name: "f", Lifetime: "run", Schema: emit.Value(object{"type": "integer"}),
		}), []string{"result.values"}},
		{"a patch of a stranger", says(object{"patch": []any{object{"id": "stranger", "content": "x"}}}), []string{"result.messages"}},
		{"a removal of a stranger", says(object{"remove": []any{"stranger"}}), []string{"result.messages"}},
		{"a patch of what is removed", saysIf(messageM1, object{"patch": []any{object{"id": "m1"}}, "remove": []any{"m1"}}), []string{"result.messages"}},
		{"a patch of a role", saysIf(messageM1, object{"patch": []any{object{"id": "m1", "role": "ai"}}}), []string{"result.identity"}},
		{"a replacement of another role", saysIf(messageM1, object{"messages": []any{object{"id": "m1", "role": "ai"}}}), []string{"result.identity"}},
		{"a role that there is not", says(object{"messages": []any{object{"role": "robot"}}}), []string{"result.roles"}},
		{"an answer to nobody", says(object{"messages": []any{object{"role": "tool", "tool_call_id": "zz"}}}), []string{"result.tool-messages"}},
		{"a tool call without an id", says(object{"messages": []any{object{"role": "ai", "tool_calls": []any{object{"id": "", "name": "x", "args": object{}}}}}}), []string{
			"result.tool-calls",
		}},
		{"overwrite and remove", saysIf(messageM1, object{"overwrite": true, "messages": []any{object{"role": "human"}}, "remove": []any{"m1"}}), []string{
			"result.overwrite",
		}},
		{"a question twice", says(object{"interrupts": []any{object{"key": "k", "value": 1}, object{"key": "k", "value": 2}}}), []string{"result.interrupts"}},
		{"a question without a key", says(object{"interrupts": []any{object{"key": "", "value": 1}}}), []string{"result.interrupts"}},
		{"a question with a long key", says(object{"interrupts": []any{object{"key": strings.Repeat("k", 257), "value": 1}}}), []string{"result.interrupts"}},
		{"a question after next", nextsAndSays(abi.WrapModelCall, object{"interrupts": []any{object{"key": "k", "value": 1}}}), []string{"result.asks-first"}},
		{"a trap at the answer", hookOf(abi.BeforeModel, abi.HookSpec{}, func(m *emit.Module) emit.Code {
			ask := emit.Value(object{"interrupts": []any{object{"key": "may I?", "value": nil}}})
			return emit.Seq(m.InputHas([]byte("may I?")), emit.When(emit.Trap), m.Say(ask), emit.Return)
		}), []string{"interrupt.resume"}},
		{"a response without messages", hookOf(abi.WrapModelCall, abi.HookSpec{}, func(m *emit.Module) emit.Code {
			return emit.Seq(m.Say(emit.Value(object{"response": object{"model": "x"}})), emit.Return)
		}), []string{"result.response"}},
		{"a response with a stranger", nextsAndSays(abi.WrapModelCall, object{"response": object{"messages": []any{object{"id": "stranger"}}}}), []string{
			"result.response",
		}},
		{"a response without an answer", hookOf(abi.WrapModelCall, abi.HookSpec{}, func(m *emit.Module) emit.Code {
			return emit.Seq(m.Say(emit.Value(object{"response": object{"messages": []any{object{"role": "tool"}}}})), emit.Return)
		}), []string{"result.response"}},
		{"a response of a human", nextsAndSays(abi.WrapModelCall, object{"response": object{"messages": []any{object{"role": "human"}, object{"content": "x"}}}}), []string{
			"result.response",
		}},
		{"a change of what was not shown", hookOf(abi.WrapToolCall, abi.HookSpec{}, func(m *emit.Module) emit.Code {
			answer := m.Say(emit.Value(object{"tool_message": object{"content": "too long"}}))
			return emit.Seq(m.Forward(nil), emit.Status(), emit.Is(int(abi.ETOOBIG)), emit.When(answer, emit.Return))
		}), []string{"result.unseen"}},
		{"an answer with an id", hookOf(abi.WrapToolCall, abi.HookSpec{}, func(m *emit.Module) emit.Code {
			return emit.Seq(m.Say(emit.Value(object{"tool_message": object{"id": "mine", "content": "x"}})), emit.Return)
		}), []string{"result.answer"}},
		{"an answer to another call", nextsAndSays(abi.WrapToolCall, object{"tool_message": object{"tool_call_id": "other"}}), []string{"result.answer"}},
		{"an answer with a status of its own", nextsAndSays(abi.WrapToolCall, object{"tool_message": object{"status": "perhaps"}}), []string{"result.answer"}},
		{"a tool that says nothing", tool(func(*emit.Module) emit.Code { return emit.Number(0) }), []string{"tool.answers"}},
		{"a tool that only updates", tool(func(m *emit.Module) emit.Code { return m.Say(emit.Value(object{})) }), []string{"tool.answers"}},

		// §10
		{"a request that is a text", nexts(abi.WrapModelCall, object{"messages": 1}), []string{"next.types"}},
		{"arguments that are a text", nexts(abi.WrapToolCall, object{"args": "x"}), []string{"next.types"}},
		{"a tool that is not offered", nexts(abi.WrapModelCall, object{"tools": []any{"nope"}}), []string{"next.tools"}},
		{"a tool with a space", nexts(abi.WrapModelCall, object{"add_tools": []any{object{"name": "a b", "description": ""}}}), []string{"next.add-tools"}},
		{"a request without a stranger", nexts(abi.WrapModelCall, object{"remove": []any{"stranger"}}), []string{"next.messages"}},
		{"a tool that is not dynamic", nexts(abi.WrapToolCall, object{"tool": "search"}), []string{"next.tool"}},
		{"a trap at three messages", replies("reply-3"), []string{"call.random", "wrap.ok"}},
		{"a trap at an empty error", replies("\x82\xa7message\xa0\xa4type\xa0"), []string{"wrap.failed"}},
		{"a trap at EDENIED of next", nexts(abi.WrapModelCall, nil, trapsAt(abi.EDENIED)), []string{"wrap.errno"}},
		{"a trap at -19 of next", nexts(abi.WrapModelCall, nil, trapsAt(-19)), []string{"wrap.unknown-errno"}},
		{"a trap at 1 of next", nexts(abi.WrapModelCall, nil, trapsAt(1)), []string{"wrap.unknown-status"}},
		{"a tool that is offered already", hookOf(abi.WrapModelCall, abi.HookSpec{}, func(m *emit.Module) emit.Code {
			again := emit.Value(object{"add_tools": []any{object{"name": "search", "description": ""}}})
			return emit.Seq(m.InputHas([]byte("\xa6search")), emit.When(m.Forward(again), emit.Drop))
		}), []string{"next.add-tools"}},
		{"a tool twice", nexts(abi.WrapModelCall, object{"add_tools": []any{object{"name": "x", "description": ""}, object{"name": "x", "description": ""}}}), []string{
			"next.add-tools",
		}},
		{"a trap at ELIMIT of next", nexts(abi.WrapToolCall, nil, trapsAt(abi.ELIMIT)), []string{"wrap.errno", "wrap.limit"}},
		{"a trap at ETOOBIG of next", nexts(abi.WrapToolCall, nil, trapsAt(abi.ETOOBIG)), []string{"wrap.errno", "wrap.too-big"}},
		{"a trap at the second next", hookOf(abi.WrapModelCall, abi.HookSpec{}, func(m *emit.Module) emit.Code {
			return emit.Seq(m.Forward(nil), emit.Status(), emit.Is(-20), emit.When(m.Forward(nil), emit.Expect(abi.StatusOK)))
		}), []string{"wrap.failed", "wrap.limit", "wrap.long", "wrap.retries", "wrap.unknown-keys"}},
		{"next again and again", nexts(abi.WrapModelCall, nil, emit.Get(1), emit.Is(int(abi.ELIMIT)), emit.When(emit.Loop(
			emit.Number(0), emit.Number(0), emit.Call(emit.Next), emit.Drop))), []string{"wrap.errno", "wrap.limit"}},
		{"a trap at unknown keys of a reply", replies("key_of_tomorrow"), []string{"wrap.unknown-keys"}},
		{"a trap at a long reply", hookOf(abi.WrapToolCall, abi.HookSpec{}, func(m *emit.Module) emit.Code {
			return emit.Seq(m.Forward(nil), emit.Drop, emit.Number(0), emit.Number(0), emit.Call(emit.ReplyRead), emit.Number(1<<16), emit.Code{0x4b}, emit.When(emit.Trap))
		}), []string{"wrap.long"}},

		// §13
		{"an operation of 65 letters", operates(strings.Repeat("x", 65), nil, nil), []string{"op.name"}},
		{"a malformed query", operates(abi.OpStateRead, []byte{0xc1}, nil), []string{"frame.msgpack"}},
		{"a trap at -23 of an operation", operates(abi.OpBudget, nil, nil, trapsAt(-23)), []string{"op.unknown-status"}},
		{"an event without a name", operates(abi.OpEventEmit, emit.Value(object{"name": ""}), nil), []string{"op.document"}},
		{"a query that is a list", operates(abi.OpStateRead, emit.Value(object{"fields": 1}), nil), []string{"op.document"}},
		{"a capability that was not asked for", operates(abi.OpKVGet, key, nil), []string{"op.declared"}},
		{"a trap at ETOOBIG of an operation", operates(abi.OpStateRead, emit.Document(&abi.StateQuery{Count: 1}), nil, trapsAt(abi.ETOOBIG)), []string{"op.errno"}},
		{"a trap at -19 of an operation", operates(abi.OpBudget, nil, nil, trapsAt(-19)), []string{"op.unknown-errno"}},
		{"a trap at a denied capability", operates(abi.OpKVGet, key, kvGet, trapsAt(abi.EDENIED)), []string{"op.denied", "op.errno"}},
		{"a trap at a failed capability", operates(abi.OpKVGet, key, kvGet, trapsAt(abi.StatusFailed)), []string{"op.failed"}},
		{"a trap at unknown keys of a budget", operates(abi.OpBudget, nil, nil, emit.Number(0), emit.Number(0), emit.Call(emit.ReplyRead), emit.Number(60), emit.Code{0x4b},
			emit.When(emit.Trap)), []string{"call.random", "call.unknown-keys", "op.unknown-keys"}},
		{"a batch of nothing", operates(abi.OpBatch, emit.Value(object{"calls": []any{}}), nil), []string{"op.batch"}},
		{"a batch of what no batch can", operates(abi.OpBatch, emit.Value(object{"calls": []any{object{"op": abi.OpBudget}}}), nil), []string{"op.batch"}},
		{"a batch of what it did not ask for", operates(abi.OpBatch, fetches(), nil), []string{"op.declared"}},
		{"a batch of a number", operates(abi.OpBatch, emit.Value(object{"calls": []any{object{"op": abi.OpHTTPFetch, "payload": 1}}}), httpFetch()), []string{
			"op.document",
		}},
		{"a trap at EDENIED in a batch", asks(abi.OpBatch, fetches(), httpFetch(), "\xa6status\xfc", true), []string{"op.batch-statuses"}},
		{"a trap at a model without a provider", asks(abi.OpModelInfo, emit.Value(object{}), nil, "provider", false), []string{"op.least"}},
		{"a trap where an operation is missing", operates(abi.OpRunInfo, nil, nil, trapsAt(abi.ENOENT)), []string{"op.missing"}},

		// The content of inputs.
		{"a trap at a context of nil", shownContext("\xa7context\x81\xa6tenant\xc0"), []string{"call.context"}},
		{"a trap at a small history", trapsIf("\xa5hello\xa2id", abi.HookSpec{Messages: abi.ViewAll()}), []string{
			"call.answers", "call.deep", "call.minimal", "call.unknown-keys",
		}},
		{"a trap at a thread", trapsIf("thread-1", abi.HookSpec{}), []string{
			"call.full", "call.numbers", "call.random", "call.unknown-keys",
		}},
		{"a trap at an empty history", trapsIf("items\x90", abi.HookSpec{Messages: abi.ViewAll()}), []string{"call.empty-history"}},
		{"a trap at calls that were not answered", trapsIf("content\xa5again", abi.HookSpec{Messages: abi.ViewAll()}), []string{"call.roles"}},
		{"a trap at the largest number", trapsIf("\xa1n\xcf\xff\xff\xff\xff\xff\xff\xff\xff", abi.HookSpec{}), []string{"call.numbers"}},
		{"a trap at a thread of thread", trapsIf("🧵", abi.HookSpec{}), []string{"call.unicode"}},
		{"a trap at a large field", trapsIf("\xa5large\x91", abi.HookSpec{Reads: []string{"f"}}, abi.FieldSpec{Name: "f", Lifetime: "run"}), []string{
			"call.large", "call.random",
		}},
		{"a trap at answers that it did not ask for", trapsIf("\xa7answers\x8a", abi.HookSpec{}), []string{"call.answers", "call.random"}},
		{"a trap at a block of tomorrow", trapsIf("\xa5hello\xa2id\xa2m1\xa4meta", abi.HookSpec{Messages: abi.ViewAll()}), []string{"call.deep"}},
		{"a trap at blocks", trapsIf("\xa4zero\xcb\x80\x00\x00\x00\x00\x00\x00\x00\xa4role\xa6system", abi.HookSpec{Messages: abi.ViewAll()}), []string{
			"call.blocks",
		}},
		{"a trap at an input of 64 KiB", hookOf(abi.BeforeModel, abi.HookSpec{}, func(*emit.Module) emit.Code {
			return emit.Seq(emit.Get(0), emit.Number(1<<16), emit.Code{0x4b}, emit.When(emit.Trap))
		}), []string{"call.long"}},
		{"a trap at a removed message", trapsIf("gone-1", abi.HookSpec{Messages: abi.ViewNew()}), []string{"call.views"}},
		{"a trap at the 300th call", trapsIf("\xa1n\xcd", abi.HookSpec{}), []string{"call.random"}},
		{"a loop", plain(emit.Loop()), []string{"call.full", "call.minimal"}}, // the kit gives up after a few of these
		{"proc_exit", plain(emit.Number(0), emit.Call(emit.ProcExit)), []string{
			"call.answers", "call.deep", "call.full", "call.long", "call.minimal", "call.numbers", "call.random", "call.unicode", "call.unknown-keys",
		}},
		{"all of the memory", plain(emit.Number(1<<15), emit.Grow, emit.Is(-1), emit.When(emit.Trap)), []string{
			"call.answers", "call.deep", "call.full", "call.long", "call.minimal", "call.numbers", "call.random", "call.unicode", "call.unknown-keys",
		}},

		// §15
		{"a counter in its memory", hookOf(abi.BeforeModel, abi.HookSpec{}, func(m *emit.Module) emit.Code {
			return emit.Seq(emit.LoadGlobal(), emit.When(m.Say(emit.Value(object{})), emit.Return), emit.Number(1), emit.StoreGlobal())
		}), []string{"instance.interchangeable"}},
	}
}

func configureBody(body func(m *emit.Module) emit.Code) []byte {
	m := emit.Hooked(abi.BeforeModel, abi.HookSpec{}).On("before_model", emit.Number(0))
	return m.On("configure", body(m)).Bytes()
}

// configuredTrap returns a guest that traps in configure if its configuration has {"x": true}.
func configuredTrap() []byte {
	d := emit.Describing(abi.BeforeModel, abi.HookSpec{})
	d.ConfigSchema = emit.Value(object{"type": "object", "properties": object{"x": object{"type": "boolean"}}})
	m := emit.New(d).On("before_model", emit.Number(0))
	return m.On("configure", m.InputHas([]byte("\xa1x\xc3")), emit.When(emit.Trap), emit.Number(0)).Bytes()
}

// configuredLater returns a guest that remembers whether its configuration has {"x": true}, and then traps when its
// hook is called.
func configuredLater() []byte {
	d := emit.Describing(abi.BeforeModel, abi.HookSpec{})
	d.ConfigSchema = emit.Value(object{"type": "object", "properties": object{"x": object{"type": "boolean"}}})
	m := emit.New(d).On("before_model", emit.LoadGlobal(), emit.When(emit.Trap), emit.Number(0))
	return m.On("configure", m.InputHas([]byte("\xa1x\xc3")), emit.StoreGlobal(), emit.Number(0)).Bytes()
}

// withOwnTool returns a Description with a tool and a capability.
func withOwnTool() abi.Description {
	d := emit.Describing(abi.BeforeModel, abi.HookSpec{})
	d.Tools = []abi.ToolSpec{{Name: "own", Description: "one", Idempotent: true}}
	d.Capabilities = []abi.Capability{{Op: abi.OpClockNow, Reason: "to know the time"}}
	return d
}

// configuresTool returns a guest with a tool that configure describes differently.
func configuresTool(tool object) []byte {
	m := emit.New(withOwnTool()).On("before_model", emit.Number(0))
	m.On("call_tool", m.Say(emit.Value(object{"tool_message": object{}})))
	return m.On("configure", m.Say(emit.Value(narrowed(object{"tools": []any{tool}})))).Bytes()
}

// configuresCapability returns a guest with a capability for which configure gives another reason.
func configuresCapability() []byte {
	m := emit.New(withOwnTool()).On("before_model", emit.Number(0)).On("call_tool", emit.Number(0))
	other := object{"capabilities": []any{object{"op": abi.OpClockNow, "reason": "for another reason"}}}
	return m.On("configure", m.Say(emit.Value(narrowed(other)))).Bytes()
}

func nextsAndSays(hook abi.Hook, result any) []byte {
	return hookOf(hook, abi.HookSpec{}, func(m *emit.Module) emit.Code {
		return emit.Seq(m.Forward(nil), emit.Status(), emit.Not(), emit.When(m.Say(emit.Value(result)), emit.Return))
	})
}

func manyNames() []string {
	names := make([]string, 257)
	for i := range names {
		names[i] = fmt.Sprint("f", i)
	}
	return names
}

func deepSchema() any {
	schema := object{"type": "string"}
	for range 40 {
		schema = object{"items": schema}
	}
	return schema
}

// TestEveryCheckCanFail shows that each check fails for a guest that breaks just its rule. It also lists the other
// checks that fail for that guest.
func TestEveryCheckCanFail(t *testing.T) {
	t.Parallel()
	failed := map[string]bool{}
	for _, m := range mutants() {
		for _, id := range m.fails {
			failed[id] = true
		}
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			var refused []object
			if slices.Contains(m.fails, "configure.refuses") {
				refused = []object{{}}
			}
			r := certifiedWith(t, m.module, nil, refused...)
			got := r.Failed(true)
			slices.Sort(got)
			if !slices.Contains(m.fails, "call.random") { // random inputs reach many rules
				got = slices.DeleteFunc(got, func(id string) bool { return id == "call.random" })
			}
			require.Equal(t, m.fails, got, report(r))
			for _, id := range got {
				require.NotEmpty(t, r.Outcome(id).Detail)
			}
		})
	}
	for _, check := range certify.Checks() {
		require.True(t, failed[check.ID], "no mutant fails the check %s", check.ID)
	}
}

// A key that the ABI does not define does not count as a part of it that the guest uses.
func TestUnknownKeysAreNotCovered(t *testing.T) {
	t.Parallel()
	r := certifiedWith(t, says(object{"jumpto": "end", "messages": []any{object{"role": "ai", "content": "hi"}}}), nil)
	require.Equal(t, []string{"Description", "Result", "Result.messages"}, r.Coverage.Documents)
	require.True(t, r.Certified, "the hint does not count")
	require.Contains(t, r.Outcome("result.known-keys").Detail, `unknown key "jumpto"; did you mean "jump_to"?`)
}

func report(r *certify.Report) string {
	var b strings.Builder
	r.Write(&b, false)
	return b.String()
}
