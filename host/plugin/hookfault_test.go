package plugin_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
)

// hookFault is a guest whose hook breaks a rule.
type hookFault struct {
	name   string
	hook   abi.Hook
	spec   abi.HookSpec
	fields []abi.FieldSpec
	body   func(g *guestkit.Module) guestkit.Code
	limits plugin.Limits
	kind   plugin.Kind
	says   string
}

// TestHookFaults shows for each fault that it is told as what it is, that the host lives on, that the instance is thrown
// away, and that the policy open goes on.
func TestHookFaults(t *testing.T) {
	t.Parallel()
	for _, test := range slices.Concat(trapFaults(), pointerFaults(), resultFaults(), updateFaults(), callFaults()) {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			g := guestkit.Hooked(test.hook, test.spec, test.fields...)
			g.On(string(test.hook), test.body(g))
			module := g.Bytes()

			closed := setup(t, plugin.Wasm{Bytes: module, Limits: test.limits})
			events, err := closed.run(t)
			fault := faultIn(t, err)
			require.Equal(t, test.kind, fault.Kind, fault.Error())
			require.Equal(t, string(test.hook), fault.Stage)
			require.Contains(t, fault.Message, test.says)
			require.Equal(t, "plugin_"+string(test.kind), last(events).Error.Type)

			again, err := closed.run(t)
			require.Equal(t, fault.Message, faultIn(t, err).Message)
			require.NotEqual(t, instances(events), instances(again), "the instance of the fault served again")

			open := setup(t, plugin.Wasm{Bytes: module, Limits: test.limits, OnFailure: plugin.Open})
			events, err = open.run(t)
			require.NoError(t, err)
			require.Equal(t, host.Completed, last(events).Status)
			require.NotEmpty(t, warnings(events))
			require.Contains(t, warnings(events)[0], "on_failure is open")
			require.Equal(t, 2, open.model.Calls(), "each model call once")
			require.EqualValues(t, 1, open.ran.Load(), "the tool once")
		})
	}
}

func trapFaults() []hookFault {
	var all []hookFault
	for _, hook := range abi.Hooks() {
		all = append(all, hookFault{
			name: "trap in " + string(hook), hook: hook, kind: plugin.KindTrap, says: "unreachable: second reason",
			body: func(g *guestkit.Module) guestkit.Code {
				return guestkit.Seq(g.Log(3, "first reason"), g.Log(3, "second\x1b reason"[:6]+" reason"), g.Log(1, "not this"), guestkit.Trap)
			},
		})
	}
	for _, wrap := range []abi.Hook{abi.WrapModelCall, abi.WrapToolCall} {
		all = append(all, hookFault{
			name: "trap after next in " + string(wrap), hook: wrap, kind: plugin.KindTrap, says: "unreachable",
			body: func(g *guestkit.Module) guestkit.Code {
				return guestkit.Seq(g.Forward(nil, abi.StatusOK), guestkit.Trap)
			},
		})
	}
	exit := func(status int) func(*guestkit.Module) guestkit.Code {
		return func(*guestkit.Module) guestkit.Code {
			return guestkit.Seq(guestkit.I32(status), guestkit.Call(guestkit.ProcExit), guestkit.Nothing)
		}
	}
	return append(all,
		hookFault{
			name: "panic on stdout", hook: abi.BeforeModel, kind: plugin.KindTrap, says: "unreachable: panic: no luck",
			body: func(g *guestkit.Module) guestkit.Code {
				return guestkit.Seq(g.Print(1, "pan"), g.Print(1, "ic: no "), g.Print(1, "luck\n\ngoroutine 1"), g.Print(1, " [running]"), guestkit.Trap)
			},
		},
		hookFault{
			name: "panic of Rust", hook: abi.BeforeModel, kind: plugin.KindTrap, says: "panicked at src/lib.rs:4:5: no luck",
			body: func(g *guestkit.Module) guestkit.Code {
				return guestkit.Seq(g.Print(1, "thread '<unnamed>' panicked at src/lib.rs:4:5:\nno luck\nnote: run with"), guestkit.Trap)
			},
		},
		hookFault{name: "exit 0", hook: abi.BeforeModel, kind: plugin.KindExit, says: "the code 0", body: exit(0)},
		hookFault{name: "exit 7", hook: abi.AfterModel, kind: plugin.KindExit, says: "the code 7", body: exit(7)},
		hookFault{name: "exit -1", hook: abi.WrapToolCall, kind: plugin.KindExit, says: "the code 4294967295", body: exit(-1)},
		hookFault{
			name: "memory", hook: abi.BeforeModel, kind: plugin.KindMemory, says: "more memory than its limit of 262144 bytes",
			limits: plugin.Limits{Memory: 4 << 16},
			body: func(*guestkit.Module) guestkit.Code {
				return guestkit.Seq(guestkit.I32(1), guestkit.Grow, guestkit.Drop, guestkit.I32(1), guestkit.Grow, guestkit.Drop, guestkit.Trap)
			},
		},
		hookFault{
			name: "division by zero", hook: abi.BeforeModel, kind: plugin.KindTrap, says: "integer divide by zero",
			body: func(*guestkit.Module) guestkit.Code {
				return guestkit.Seq(guestkit.I32(1), guestkit.I32(0), guestkit.Code{0x6d})
			},
		},
	)
}

// pointerFaults hand pointers outside of the memory to each import.
func pointerFaults() []hookFault {
	wild := guestkit.I32(0x7fffff00)
	fault := func(name string, hook abi.Hook, says string, body func(g *guestkit.Module) guestkit.Code) hookFault {
		return hookFault{name: "pointer of " + name, hook: hook, kind: plugin.KindProtocol, says: says, body: body}
	}
	end := guestkit.I32(guestkit.MinPages<<16 - 4) // four bytes before the end of the memory
	return []hookFault{
		fault("input_read", abi.BeforeModel, "input_read: the buffer is outside", func(*guestkit.Module) guestkit.Code {
			return guestkit.Seq(wild, guestkit.I32(1<<20), guestkit.Call(guestkit.InputRead), guestkit.Drop, guestkit.Nothing)
		}),
		fault("input_read at the end", abi.BeforeModel, "input_read: the buffer is outside", func(*guestkit.Module) guestkit.Code {
			return guestkit.Seq(end, guestkit.I32(-1), guestkit.Call(guestkit.InputRead), guestkit.Drop, guestkit.Nothing)
		}),
		fault("result_write", abi.BeforeModel, "result_write: the result is outside", func(*guestkit.Module) guestkit.Code {
			return guestkit.Seq(end, guestkit.I32(5), guestkit.Call(guestkit.ResultWrite), guestkit.Drop, guestkit.Nothing)
		}),
		fault("result_write beyond 4 GiB", abi.BeforeModel, "result_write: the result is outside", func(*guestkit.Module) guestkit.Code {
			return guestkit.Seq(guestkit.I32(-4), guestkit.I32(8), guestkit.Call(guestkit.ResultWrite), guestkit.Drop, guestkit.Nothing)
		}),
		fault("next", abi.WrapModelCall, "next: the document is outside", func(*guestkit.Module) guestkit.Code {
			return guestkit.Seq(wild, guestkit.I32(1), guestkit.Call(guestkit.Next), guestkit.Drop, guestkit.Nothing)
		}),
		fault("the operation", abi.BeforeModel, "host_call: the operation is outside", func(*guestkit.Module) guestkit.Code {
			return guestkit.Seq(wild, guestkit.I32(6), guestkit.I32(0), guestkit.I32(0), guestkit.Call(guestkit.HostCall), guestkit.Drop, guestkit.Nothing)
		}),
		fault("the document", abi.BeforeModel, "host_call: the document is outside", func(g *guestkit.Module) guestkit.Code {
			return guestkit.Seq(g.Place([]byte("budget")), wild, guestkit.I32(6), guestkit.Call(guestkit.HostCall), guestkit.Drop, guestkit.Nothing)
		}),
		fault("reply_read", abi.BeforeModel, "reply_read: the buffer is outside", func(g *guestkit.Module) guestkit.Code {
			return guestkit.Seq(g.HostCall("budget", nil, abi.StatusOK), wild, guestkit.I32(1<<16), guestkit.Call(guestkit.ReplyRead), guestkit.Drop, guestkit.Nothing)
		}),
		fault("log", abi.BeforeModel, "log: the line is outside", func(*guestkit.Module) guestkit.Code {
			return guestkit.Seq(guestkit.I32(1), wild, guestkit.I32(10), guestkit.Call(guestkit.Log), guestkit.Nothing)
		}),
		{
			name: "log level 4", hook: abi.BeforeModel, kind: plugin.KindProtocol, says: "log: the level is",
			body: func(g *guestkit.Module) guestkit.Code { return guestkit.Seq(g.Log(4, "x"), guestkit.Nothing) },
		},
		{
			name: "log level -1", hook: abi.BeforeModel, kind: plugin.KindProtocol, says: "log: the level is",
			body: func(g *guestkit.Module) guestkit.Code { return guestkit.Seq(g.Log(-1, "x"), guestkit.Nothing) },
		},
	}
}

// resultFaults return what is not a result.
func resultFaults() []hookFault {
	fault := func(name, says string, body func(g *guestkit.Module) guestkit.Code) hookFault {
		return hookFault{name: name, hook: abi.BeforeModel, kind: plugin.KindProtocol, says: says, body: body}
	}
	raw := func(b ...byte) func(*guestkit.Module) guestkit.Code {
		return func(g *guestkit.Module) guestkit.Code { return g.Say(b) }
	}
	deep := append(append([]byte{0x81, 0xa5}, "state"...), slices.Repeat([]byte{0x91}, 100)...)
	large := fault("large result", "the result has 200 bytes, the limit is 100", raw(make([]byte, 200)...))
	large.kind, large.limits = plugin.KindLimit, plugin.Limits{Result: 100}
	wrapped := fault("large document of next", "next: the document has 200 bytes", func(g *guestkit.Module) guestkit.Code {
		return guestkit.Seq(g.Place(make([]byte, 200)), guestkit.Call(guestkit.Next), guestkit.Drop, guestkit.Nothing)
	})
	wrapped.hook, wrapped.kind, wrapped.limits = abi.WrapToolCall, plugin.KindLimit, plugin.Limits{Result: 100}
	return []hookFault{
		fault("returned 2", "it returned 2; 0 and 1 are allowed", func(*guestkit.Module) guestkit.Code { return guestkit.I32(2) }),
		fault("returned -1", "it returned -1; 0 and 1 are allowed", func(*guestkit.Module) guestkit.Code { return guestkit.I32(-1) }),
		fault("no result", "it returned 1 without writing a result", func(*guestkit.Module) guestkit.Code { return guestkit.I32(1) }),
		fault("empty result", "malformed", raw()),
		fault("bomb", "malformed", raw(0xdd, 0xff, 0xff, 0xff, 0xff)),
		fault("trailing byte", "malformed", raw(0x80, 0x00)),
		fault("extension", "malformed", raw(0x81, 0xa5, 's', 't', 'a', 't', 'e', 0xd4, 0x01, 0x00)),
		fault("key twice", "malformed", raw(0x82, 0xa1, 'a', 0x01, 0xa1, 'a', 0x02)),
		fault("bad UTF-8", "malformed", raw(0x81, 0xa1, 0xff, 0x01)),
		fault("too deep", "malformed", raw(append(deep, 0xc0)...)),
		fault("wrong type", "not what SPEC.md asks for", raw(guestkit.MapOf(map[string]any{"jump_to": 7})...)),
		fault("not a map", "not what SPEC.md asks for", raw(0x01)),
		large, wrapped,
	}
}

// updateFaults say what their Description or the state does not allow.
// encodedList encodes a list.
func encodedList(items []any) wire.Raw {
	raw, err := wire.Of(items)
	if err != nil {
		panic(err)
	}
	return raw
}

func updateFaults() []hookFault {
	hello := abi.NewPatch("h1")
	say := func(doc []byte) func(*guestkit.Module) guestkit.Code {
		return func(g *guestkit.Module) guestkit.Code { return g.Say(doc) }
	}
	node := func(name, says string, doc []byte) hookFault {
		return hookFault{name: name, hook: abi.BeforeModel, kind: plugin.KindProtocol, says: says, body: say(doc)}
	}
	wrap := func(hook abi.Hook, name, says string, r *abi.Result) hookFault {
		return hookFault{name: name + " in " + string(hook), hook: hook, kind: plugin.KindProtocol, says: says, body: say(guestkit.Document(r))}
	}
	one := func(m abi.Message) []byte { return guestkit.Document(&abi.Result{Messages: []abi.Message{m}}) }
	patch := func(p abi.Patch) []byte { return guestkit.Document(&abi.Result{Patch: []abi.Patch{p}}) }
	add := node("string for add", "the reducer add needs numbers", guestkit.MapOf(map[string]any{"state": map[string]any{"sum": "x"}}))
	add.fields = []abi.FieldSpec{{Name: "sum", Lifetime: "run", Reducer: "add"}}
	number := node("number for append", "the reducer append needs lists", guestkit.MapOf(map[string]any{"state": map[string]any{"all": 1}}))
	number.fields = []abi.FieldSpec{{Name: "all", Lifetime: "run", Reducer: "append"}}
	schema := node("schema of a field", `field "word"`, guestkit.MapOf(map[string]any{"state": map[string]any{"word": 1}}))
	word, _ := wire.Of(map[string]any{"type": "string"})
	schema.fields = []abi.FieldSpec{{Name: "word", Lifetime: "run", Schema: word}}
	return []hookFault{
		node("undeclared jump", `jump_to "end" is not declared`, guestkit.MapOf(map[string]any{"jump_to": "end"})),
		node("unknown jump", `jump_to "mars" is not declared`, guestkit.MapOf(map[string]any{"jump_to": "mars"})),
		node("undeclared field", `field "x" is not declared`, guestkit.MapOf(map[string]any{"state": map[string]any{"x": 1}})),
		node("patch of nothing", `there is no message with the id "h9"`, patch(abi.NewPatch("h9"))),
		node("patch without id", `there is no message with the id ""`, patch(abi.Patch{}.SetContent(abi.Text("x")))),
		node("removal of nothing", `there is no message with the id "h9"`, guestkit.Document(&abi.Result{Remove: []string{"h9"}})),
		node("patch of the removed", "removed by the same update", guestkit.Document(&abi.Result{Remove: []string{"h1"}, Patch: []abi.Patch{hello}})),
		node("changed role", "changes its role", patch(hello.Set("role", wire.String("ai")))),
		node("changed tool_call_id", "changes its tool_call_id", patch(hello.Set("tool_call_id", wire.String("c")))),
		node("replaced by another role", "another role", one(abi.Message{ID: "h1", Role: abi.RoleSystem})),
		node("unknown role", `the role "root"`, one(abi.Message{Role: "root"})),
		node("answer to nobody", `the call "c9", which nobody made`, one(abi.ToolResult(abi.ToolCall{ID: "c9"}, "x"))),
		node("overwrite and remove", "overwrite cannot be combined", guestkit.Document(&abi.Result{Overwrite: true, Remove: []string{"h1"}})),
		node("interrupt without key", "must have 1 to 256", guestkit.Document(&abi.Result{Interrupts: []abi.Interrupt{{}}})),
		node("many interrupts", "65 interrupts; 64 are allowed", guestkit.Document(&abi.Result{Interrupts: make([]abi.Interrupt, 65)})),
		node("interrupts of one key", `two interrupts have the key "a"`, guestkit.Document(&abi.Result{Interrupts: []abi.Interrupt{{Key: "a"}, {Key: "a"}}})),
		node("response", "response is for wrap_model_call", guestkit.Document(&abi.Result{Response: &abi.ResponseChange{Model: "x"}})),
		node("tool message", "tool_message is for wrap_tool_call", guestkit.Document(&abi.Result{ToolMessage: &hello})),
		{
			name: "answer twice", hook: abi.AfterAgent, kind: plugin.KindProtocol, says: "already answered",
			body: say(one(abi.ToolResult(abi.ToolCall{ID: "call-1"}, "again"))),
		},
		node("arguments that are not a map", `the arguments of the tool call "c1" are not a map`, one(abi.Message{
			Role: abi.RoleAI, ToolCalls: []abi.ToolCall{{ID: "c1", Name: "search", Args: wire.Int(7)}},
		})),
		{
			name: "arguments that are not a map, in place of everything", hook: abi.AfterModel, kind: plugin.KindProtocol, says: "are not a map",
			body: func(g *guestkit.Module) guestkit.Code {
				return g.Say(guestkit.MapOf(map[string]any{"overwrite": true, "messages": []any{map[string]any{
					"role": "ai", "content": "", "tool_calls": []any{map[string]any{"id": "c1", "name": "search", "args": []any{}}},
				}}}))
			},
		},
		wrap(abi.WrapModelCall, "arguments that are not a map", "are not a map", &abi.Result{Response: &abi.ResponseChange{Messages: []abi.Patch{
			abi.Patch{}.Set("tool_calls", encodedList([]any{map[string]any{"id": "c1", "name": "search", "args": "x"}})),
		}}}),
		add, number, schema,
		wrap(abi.WrapModelCall, "jump", "jump_to is for node hooks", &abi.Result{JumpTo: "end"}),
		wrap(abi.WrapToolCall, "jump", "jump_to is for node hooks", &abi.Result{JumpTo: "end"}),
		wrap(abi.WrapModelCall, "tool message", "tool_message is for wrap_tool_call", &abi.Result{ToolMessage: &hello}),
		wrap(abi.WrapToolCall, "response", "response is for wrap_model_call", &abi.Result{Response: &abi.ResponseChange{}}),
		wrap(abi.WrapModelCall, "empty response", "no AI message", &abi.Result{Response: &abi.ResponseChange{Model: "x"}}),
		wrap(abi.WrapModelCall, "patch of another reply", "which the last reply does not have", &abi.Result{
			Response: &abi.ResponseChange{Messages: []abi.Patch{hello}},
		}),
		wrap(abi.WrapToolCall, "id of another message", "the host gives ids", &abi.Result{ToolMessage: &hello}),
		wrap(abi.WrapToolCall, "answer to another call", `answer the call "call-1"`, &abi.Result{ToolMessage: new(abi.Patch{}.Set("tool_call_id", wire.String("c9")))}),
		wrap(abi.WrapToolCall, "unknown status", `the status "fine"`, &abi.Result{ToolMessage: new(abi.Patch{}.Set("status", wire.String("fine")))}),
	}
}

// callFaults call imports in the wrong place or with the wrong documents.
func callFaults() []hookFault {
	fault := func(name string, hook abi.Hook, says string, body func(g *guestkit.Module) guestkit.Code) hookFault {
		return hookFault{name: name, hook: hook, kind: plugin.KindProtocol, says: says, body: body}
	}
	next := func(doc []byte) func(*guestkit.Module) guestkit.Code {
		return func(g *guestkit.Module) guestkit.Code {
			return guestkit.Seq(g.Forward(doc, abi.StatusOK), guestkit.Nothing)
		}
	}
	return []hookFault{
		fault("next in a node hook", abi.AfterModel, "next is for wrap hooks", next(nil)),
		fault("bomb for next", abi.WrapModelCall, "malformed", next([]byte{0xdd, 0xff, 0xff, 0xff, 0xff})),
		fault("list for next", abi.WrapToolCall, "not what SPEC.md asks for", next([]byte{0x90})),
		fault("args of another type", abi.WrapToolCall, "args is not a map", next(guestkit.MapOf(map[string]any{"args": "x"}))),
		fault("tool that is not dynamic", abi.WrapToolCall, `the tool "search" is not one`, next(guestkit.MapOf(map[string]any{"tool": "search"}))),
		fault("tool that is not offered", abi.WrapModelCall, `"delete" is not offered`, next(guestkit.MapOf(map[string]any{"tools": []any{"delete"}}))),
		fault("tool that is already offered", abi.WrapModelCall, "already offered", next(guestkit.Document(&abi.RequestChange{AddTools: []abi.ToolSpec{{Name: "search"}}}))),
		fault("request patch of nothing", abi.WrapModelCall, `the id "h9"`, next(guestkit.Document(&abi.RequestChange{Patch: []abi.Patch{abi.NewPatch("h9")}}))),
		fault("long operation", abi.BeforeModel, "at most 64 bytes", func(g *guestkit.Module) guestkit.Code {
			return guestkit.Seq(g.HostCall(string(make([]byte, 65)), nil, abi.ENOENT), guestkit.Nothing)
		}),
		fault("bomb for an operation", abi.BeforeModel, "malformed", func(g *guestkit.Module) guestkit.Code {
			return guestkit.Seq(g.HostCall(abi.OpStateRead, []byte{0xdd, 0xff, 0xff, 0xff, 0xff}, abi.EINVAL), guestkit.Nothing)
		}),
	}
}
