package hosts_test

import (
	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/tck/hosts"
	"github.com/agenthost/agenthost/tck/internal/emit"
)

// contextCases are about the context of a run.
func contextCases() []*def {
	shows := func(hooks abi.HookSpecs, keys ...string) abi.Description {
		return abi.Description{Hooks: hooks, Context: keys}
	}
	before := func(keys ...string) *emit.Module {
		return emit.New(shows(abi.HookSpecs{BeforeAgent: &abi.HookSpec{}}, keys...)).On("before_agent", emit.Number(0))
	}
	granted := func(keys ...string) option { return grant(hosts.Grant{Context: keys}) }
	everywhere := shows(abi.HookSpecs{WrapModelCall: &abi.HookSpec{}, WrapToolCall: &abi.HookSpec{}, AfterAgent: &abi.HookSpec{}}, "tenant")
	everywhere.Tools = []abi.ToolSpec{{Name: "search", Description: ""}}
	all := emit.New(everywhere)
	for _, hook := range []string{"wrap_model_call", "wrap_tool_call", "after_agent"} {
		all.On(hook, emit.Number(0))
	}
	all.On("call_tool", all.Say(emit.Value(object{"tool_message": object{"content": "found"}})))
	asks := emit.New(shows(abi.HookSpecs{BeforeAgent: &abi.HookSpec{}}, "tenant"))
	asks.On("before_agent", asks.InputHas([]byte("\xa7answers")), emit.When(emit.Exit(0)), writes(object{"interrupts": []any{object{"key": "k", "value": 1}}})(asks), emit.Number(0))
	narrowing := func(keys ...any) *emit.Module {
		m := before("tenant")
		return m.On("configure", m.Say(emit.Value(object{
			"abi": 1, "name": "guest", "version": "1.0.0", "context": keys, "hooks": object{"before_agent": object{}},
		})))
	}
	const exactly = "A plugin is shown exactly the keys that its Description lists in `context`, in all its hooks and tools, as `context` of the input."
	return []*def{
		newCase(
			"context", before("plan", "tenant"), granted("plan", "tenant"), runContext(object{"tenant": "acme", "user": "ann"}),
			has(given(0), `"context":{"tenant":"acme"}`),
			says(
				exactly, "A key that the caller did not give is absent.",
				"| `context?` | `{any}` | *1.1:* the keys of the run's context that the Description lists and the caller gave (§8) |",
				"| `context?` | `[str]` | *1.1:* keys of the run's context that the plugin is shown (§8); names as in §3 |",
			),
		),
		newCase(
			"context-everywhere", all, granted("tenant"), runContext(object{"tenant": object{"id": 7}}),
			modelSays(say("a1", "", abi.Call("c1", "search", object{})), say("a2", "done")), frames(5),
			has(given(0), `"context":{"tenant":{"id":7}}`), has(given(1), `"context":{"tenant":{"id":7}}`), has(given(2), `"context":{"tenant":{"id":7}}`),
			has(given(3), `"context":{"tenant":{"id":7}}`), has(given(4), `"context":{"tenant":{"id":7}}`), says(exactly),
		),
		newCase(
			"context-not-listed", before("plan"), granted("plan", "tenant"), runContext(object{"tenant": "acme"}), hasNot(given(0), `"context"`), says(exactly),
		),
		newCase("context-none", before("tenant"), granted("tenant"), hasNot(given(0), `"context"`), says("A key that the caller did not give is absent.")),
		newCase(
			"context-not-granted", before("tenant"), refused, says("The operator MUST grant each of them, else the plugin is not loaded."),
		),
		newCase(
			"context-of-a-run-that-goes-on", asks, granted("tenant"), runContext(object{"tenant": "acme"}), resume(object{"k": true}),
			func(d *def) { d.Runs[1].Context = mapOf(object{"tenant": "umbrella"}) }, has(given(0), `"context":{"tenant":"umbrella"}`),
			says("A run that goes on has the context of the input with which it goes on."),
		),
		newCase(
			"context-narrowed", narrowing(), granted("tenant"), runContext(object{"tenant": "acme"}), hasNot(given(0), `"context"`), status("completed"),
			says("`context` is a subset."),
		),
		newCase("context-no-name", before("a tenant"), granted("a tenant"), refused, says("names as in §3")),
		newCase("context-widened", narrowing("tenant", "user"), granted("tenant", "user"), refused, says("`context` is a subset.")),
	}
}
