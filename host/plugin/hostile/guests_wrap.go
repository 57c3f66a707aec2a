package hostile

import (
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
)

// or adds a kind that is also accepted.
func (g Guest) or(kind plugin.Kind) Guest {
	g.Kinds = append(g.Kinds, kind)
	return g
}

// wrapGuests returns guests that wrap a model call or a tool call.
func wrapGuests() []Guest {
	wrap := func(hook abi.Hook, body func(m *module) code) func() []byte {
		return func() []byte {
			m := hooked(hook)
			return m.On(string(hook), body(m), nothing).Bytes()
		}
	}
	odd := func(line int, name string, hook abi.Hook, body func(m *module) code) Guest {
		return Guest{Line: line, Name: name + " in " + string(hook), Benign: true, Module: wrap(hook, body)}
	}
	wrong := func(line int, name string, hook abi.Hook, kind plugin.Kind, says string, body func(m *module) code) Guest {
		return Guest{Line: line, Name: name + " in " + string(hook), Stage: string(hook), Kinds: []plugin.Kind{kind}, Says: says, Module: wrap(hook, body)}
	}
	said := func(r *abi.Result) func(m *module) code {
		return func(m *module) code { return seq(m.Say(document(r)), leave) }
	}
	var all []Guest
	for _, hook := range []abi.Hook{abi.WrapModelCall, abi.WrapToolCall} {
		all = append(all,
			odd(72, "no next", hook, func(*module) code { return nil }),
			odd(72, "next three times", hook, func(m *module) code { return again(3, m.Forward(nil, abi.StatusOK)...) }),
			odd(72, "next 100000 times", hook, func(m *module) code { // it gets ELIMIT and continues
				return seq(m.Forward(nil, abi.StatusOK), turns(100_000, 1, i32(0), i32(0), call(guestkit.Next), code{0x1a}), i32(0), i32(0), call(guestkit.Next), expect(abi.ELIMIT))
			}),
			odd(73, "reply read after next and again", hook, func(m *module) code {
				return seq(m.Forward(nil, abi.StatusOK), again(3, seq(i32(buffer), i32(buffer), call(guestkit.ReplyRead), drop)...))
			}),
			odd(73, "reply read without next", hook, func(*module) code {
				return seq(i32(buffer), i32(buffer), call(guestkit.ReplyRead), when(trap))
			}),
			wrong(43, "request past the end", hook, plugin.KindProtocol, "next: the document is outside", func(*module) code {
				return seq(i32(memoryEnd-4), i32(5), call(guestkit.Next), drop)
			}),
			wrong(45, "request of 4 GiB", hook, plugin.KindLimit, "the limit is", func(*module) code { return seq(i32(0), i32(-1), call(guestkit.Next), drop) }),
			wrong(58, "bomb as a request", hook, plugin.KindProtocol, "malformed", func(m *module) code {
				return m.Forward([]byte("\xdd\xff\xff\xff\xff"), abi.StatusOK)
			}),
			wrong(78, "trap after next", hook, plugin.KindTrap, "unreachable", func(m *module) code { return seq(m.Forward(nil, abi.StatusOK), trap) }),
			wrong(78, "loop after next", hook, plugin.KindFuel, "used up its fuel", func(m *module) code {
				return seq(m.Forward(nil, abi.StatusOK), forever())
			}),
			wrong(62, "jump", hook, plugin.KindProtocol, "jump_to is for node hooks", said(&abi.Result{JumpTo: "end"})),
		)
	}
	for i := range all {
		if slices.Contains(all[i].Kinds, plugin.KindFuel) {
			all[i].Limits = littleFuel
		}
	}
	change := func(key string, value any) []byte { return mapOf(map[string]any{key: value}) }
	next := func(doc []byte) func(m *module) code {
		return func(m *module) code { return m.Forward(doc, abi.StatusOK) }
	}
	stranger := abi.NewPatch("m99")
	return append(all,
		wrong(81, "response with a message of another call", abi.WrapModelCall, plugin.KindProtocol, "which the last reply does not have", said(&abi.Result{
			Response: &abi.ResponseChange{Messages: []abi.Patch{stranger}},
		})),
		wrong(81, "response without messages", abi.WrapModelCall, plugin.KindProtocol, "no AI message", said(&abi.Result{Response: &abi.ResponseChange{Model: "x"}})),
		wrong(81, "request patch of another call", abi.WrapModelCall, plugin.KindProtocol, `the id "m99"`,
			next(document(&abi.RequestChange{Patch: []abi.Patch{stranger}}))),
		wrong(81, "tool that is not offered", abi.WrapModelCall, plugin.KindProtocol, "is not offered", next(change("tools", []any{"delete_everything"}))),
		wrong(81, "tool that hides another", abi.WrapModelCall, plugin.KindProtocol, "already offered",
			next(document(&abi.RequestChange{AddTools: []abi.ToolSpec{{Name: "search"}}}))).or(plugin.KindTrap), // if there is no such tool
		wrong(64, "answer to another call", abi.WrapToolCall, plugin.KindProtocol, `answer the call "call-1"`, said(&abi.Result{
			ToolMessage: new(abi.Patch{}.Set("tool_call_id", wire.String("c9"))),
		})),
		wrong(64, "answer with another role", abi.WrapToolCall, plugin.KindProtocol, "", said(&abi.Result{
			ToolMessage: new(abi.Patch{}.Set("role", wire.String("system"))),
		})),
		wrong(81, "tool that is not dynamic", abi.WrapToolCall, plugin.KindProtocol, `the tool "search" is not one`, next(change("tool", "search"))),
		wrong(61, "arguments that are a text", abi.WrapToolCall, plugin.KindProtocol, "args is not a map", next(change("args", "x"))),
		wrong(74, "next", abi.BeforeModel, plugin.KindProtocol, "next is for wrap hooks", next(nil)),
		wrong(74, "next", abi.BeforeAgent, plugin.KindProtocol, "next is for wrap hooks", next(nil)),
		wrong(74, "next", abi.AfterModel, plugin.KindProtocol, "next is for wrap hooks", next(nil)),
		wrong(74, "next", abi.AfterAgent, plugin.KindProtocol, "next is for wrap hooks", next(nil)),
	)
}
