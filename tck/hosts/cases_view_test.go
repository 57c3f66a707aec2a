package hosts_test

import (
	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/tck/internal/emit"
)

// viewCases are about the messages that hooks see.
func viewCases() []*def {
	three := messages(human("h1", "one"), human("h2", "two"), human("h3", "three"))
	before := func(v abi.ViewSpec) *emit.Module { return hooked(abi.BeforeModel, abi.HookSpec{Messages: v}, nil) }
	return []*def{
		newCase("view-none", before(abi.ViewNone()), three, frames(1), hasNot(given(0), `"messages"`),
			says("| `none` | there is no View | |", "no messages in a hook with the view `none`")),
		newCase(
			"view-last", before(abi.ViewLast(2)), three, has(given(0), `"from":1`, `"total":3`, `"two"`), hasNot(given(0), `"one"`),
			says("| `{last: K}` | the last K messages, fewer if there are fewer | `total` − length of `items` |"),
		),
		newCase("view-last-of-few", before(abi.ViewLast(9)), three, has(given(0), `"from":0`, `"one"`, `"three"`),
			says("| `{last: K}` | the last K messages, fewer if there are fewer | `total` − length of `items` |")),
		newCase(
			"view-all", before(abi.ViewAll()), three, has(given(0), `"from":0`, `"one"`, `"two"`, `"three"`),
			hasNot(given(0), `"reset"`), says("| `all` | all messages | 0 |"),
		),
		newCase(
			"view-new", hooked(abi.BeforeModel, abi.HookSpec{Messages: abi.ViewNew()}, nil), looping(2), frames(3),
			has(given(0), `"reset":true`, `"h1"`), hasNot(given(1), `"reset"`), has(given(1), `"from":1`, `"a1"`, `"total":3`),
			hasNot(given(1), `"h1"`), has(given(2), `"from":3`, `"a2"`),
			says(
				"| `new` | all messages with `reset`; otherwise those appended since the cursor | `total` − length of `items` |",
				"`reset` is set at the first call and after an overwrite: then nothing that was shown before counts.",
			),
		),
		newCase(
			"view-new-changes", hooked(abi.AfterModel, abi.HookSpec{Messages: abi.ViewNew()}, nil), three, looping(1),
			inner("changer", hooked(abi.AfterModel, abi.HookSpec{}, func(m *emit.Module) emit.Code {
				change := emit.Value(object{"patch": []any{object{"id": "h2", "content": "TWO"}}, "remove": []any{"h1"}})
				return emit.Seq(m.ReadInput(), m.InputHas([]byte("\xa1n\x02")), emit.When(m.Say(change), emit.Return))
			})),
			frames(4), has(given(3), `"patch":[{"content":"TWO","id":"h2","role":"human"}]`, `"remove":["h1"]`),
			hasNot(given(3), `"three"`),
			says("The view shows what changed since: messages appended (`items`), older ones that were replaced (`patch`, whole messages, which take "+
				"the place of what the guest knew), older ones that were removed (`remove`)."),
		),
		newCase(
			"view-new-between", hooked(abi.BeforeModel, abi.HookSpec{Messages: abi.ViewNew()}, nil), inner("writer", comesAndGoes()), looping(1),
			has(given(3), `"items":[{"content":"changed"`), hasNot(given(3), `"patch"`), hasNot(given(3), `"remove"`), hasNot(given(3), `"content":"y"`),
			says(
				"A message that was appended and removed since is not shown at all; one that was appended and changed "+
					"appears in `items` as it is now.",
			),
		),
		newCase("view-new-own-change", hooked(abi.BeforeModel, abi.HookSpec{Messages: abi.ViewNew()}, func(m *emit.Module) emit.Code {
			change := emit.Value(object{"patch": []any{object{"id": "h1", "content": "mine"}}})
			return emit.Seq(m.InputHas([]byte("\xa1n\x01")), emit.When(m.Say(change), emit.Return))
		}), looping(1), has(given(1), `"patch":[{"content":"mine","id":"h1"`),
			says("The hook's own changes are new to it at the next call.")),
		newCase(
			"view-new-after-overwrite", hooked(abi.BeforeModel, abi.HookSpec{Messages: abi.ViewNew()}, nil), looping(1),
			inner("writer", hooked(abi.AfterModel, abi.HookSpec{CanJumpTo: []string{"model"}}, func(m *emit.Module) emit.Code {
				all := emit.Value(object{"overwrite": true, "messages": []any{object{"id": "fresh", "role": "human", "content": "x"}}, "jump_to": "model"})
				return emit.Seq(m.InputHas([]byte("\xa1n\x01")), emit.When(m.Say(all), emit.Return))
			})),
			has(given(2), `"reset":true`, `"total":1`),
			says("`reset` is set at the first call and after an overwrite: then nothing that was shown before counts.",
				"`overwrite`: the history becomes `messages`."),
		),
		newCase(
			"view-of-a-request", hooked(abi.WrapModelCall, abi.HookSpec{Messages: abi.ViewAll()}, nil),
			func(d *def) { d.Agent.System = "Be brief." }, searching,
			has(given(0), `"request":{"messages":{"from":0`, `"model":"model"`, `"system":"Be brief."`, `"tools":["search"]`),
			says(
				"the declared view of the request's messages, without the system prompt; absent for `none`",
				"names of the tools that are offered",
			),
		),
		newCase("view-of-a-tool-call", hooked(abi.WrapToolCall, abi.HookSpec{Messages: abi.ViewLast(1)}, nil), searching,
			has(given(0), `"call":{"args":{"q":"x"},"id":"c1","name":"search"}`, `"known":true`, `"id":"a1"`, `"total":2`),
			says("Node hooks and `wrap_tool_call` see the history, `wrap_model_call` the messages of the request.",
				"| `known?` | `bool` | `wrap_tool_call`: the agent has a tool of that name |")),
	}
}

// comesAndGoes returns a guest that appends two messages at its first call. Later it changes one of them and removes
// the other.
func comesAndGoes() *emit.Module {
	d := emit.Describing(abi.BeforeModel, abi.HookSpec{})
	d.Hooks.AfterModel = &abi.HookSpec{}
	m := emit.New(d)
	once := func(result object) emit.Code {
		return emit.Seq(m.InputHas([]byte("\xa1n\x01")), emit.When(m.Say(emit.Value(result)), emit.Return), emit.Number(0))
	}
	m.On("before_model", once(object{"messages": []any{
		object{"id": "stays", "role": "human", "content": "x"}, object{"id": "leaves", "role": "human", "content": "y"},
	}}))
	return m.On("after_model", once(object{"patch": []any{object{"id": "stays", "content": "changed"}}, "remove": []any{"leaves"}}))
}
