package hosts_test

import (
	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/tck/internal/emit"
)

// resultCases are about the results of node hooks.
func resultCases() []*def {
	before := func(result any) *emit.Module { return hooked(abi.BeforeModel, abi.HookSpec{}, writes(result)) }
	jumps := func(target string, list ...string) *emit.Module {
		return hooked(abi.BeforeModel, abi.HookSpec{CanJumpTo: list}, func(m *emit.Module) emit.Code {
			return emit.Seq(m.InputHas([]byte("\xa1n\x01")), emit.When(m.Say(emit.Value(object{"jump_to": target})), emit.Return))
		})
	}
	fails := func(name string, result any, sentence string) *def {
		return newCase(name, before(result), fault("protocol", "before_model"), says(sentence))
	}
	message := func(keys object) object { return object{"messages": []any{keys}} }
	return []*def{
		newCase(
			"update-order",
			before(
				object{"messages": []any{object{"role": "human", "content": "new"}, object{"id": "h2", "role": "human", "content": "replaced"}}, "patch": []any{object{"id": "h3", "content": "patched"}}, "remove": []any{"h1", "h2"}},
			),
			messages(human("h1", "one"), human("h2", "two"), human("h3", "three")), status("completed"),
			has(
				history,
				`[{"content":"replaced","id":"h2","role":"human"},{"content":"patched","id":"h3","role":"human"},{"content":"new","id":"*"`,
			),
			says("An id that `messages` brings back keeps its place.", "one without an id gets one."),
		),
		newCase(
			"update-overwrite", before(object{"overwrite": true, "messages": []any{object{"role": "human", "content": "only"}}}),
			has(history, `[{"content":"only"`),
			says("| `overwrite?` | `bool` | all | `messages` are the whole history from now on |"),
		),
		newCase("update-clears", before(object{"patch": []any{object{"id": "h1", "content": ""}}}), hasNot(history, `"hi"`),
			says("it is cleared by its empty value (`\"\"`, `[]`, `{}`; nil for `usage`).")),
		newCase(
			"unknown-keys",
			before(object{"key_of_tomorrow": object{"x": 1}, "patch": []any{object{"id": "h1", "key_of_tomorrow": 7}}}),
			status("completed"), says("Unknown keys MUST be ignored by host and guest, except for state fields (§8)."),
		),
		newCase(
			"error", before(object{"error": object{"type": "mine", "message": "it did not work"}, "state": object{"nobody": 1}}),
			failed("mine"),
			says(
				"The host handles `error` first, then `interrupts`; if one of them is present the other keys do not count.",
				"| `error?` | Error | all | the hook fails with this error |",
			),
		),
		newCase("error-under-open", before(object{"error": object{"type": "mine", "message": "x"}}), open, failed("mine"),
			says("It is visible to retry and fallback middleware, the instance is kept, and the failure policy does not apply.")),
		newCase(
			"jump-end", jumps("end", "end"), has(history, `[{"content":"hi"`), hasNot(history, `"hello"`),
			says("or at the first `after_agent` hook to run or the end (`end`)"),
		),
		newCase(
			"jump-leaves-out",
			hooked(abi.BeforeModel, abi.HookSpec{}, writes(object{"state": object{"f": 1}}), f("f", "thread", "")), inner("ends", jumps("end", "end")),
			inner("third", hooked(abi.BeforeModel, abi.HookSpec{}, emitTrap)), inner("after", hooked(abi.AfterModel, abi.HookSpec{}, emitTrap)),
			inner("last", hooked(abi.AfterAgent, abi.HookSpec{}, nil)), status("completed"), frames(3), has(state, `{"f":1}`),
			says(
				"its update is visible to the next one, and stays when a later one jumps.",
				"after `end` in a `before_model` hook, the host calls neither the later `before_model` hooks nor the model.",
			),
		),
		newCase(
			"jump-model",
			hooked(abi.AfterModel, abi.HookSpec{CanJumpTo: []string{"model"}}, func(m *emit.Module) emit.Code {
				return emit.Seq(m.InputHas([]byte("\xa1n\x01")), emit.When(m.Say(emit.Value(object{"jump_to": "model"})), emit.Return))
			}),
			modelSays(say("a1", "first"), say("a2", "second")), has(history, `"first"`, `"second"`),
			says("the run goes on at the first `before_model` hook or the model (`model`)"),
		),
		newCase(
			"jump-tools",
			hooked(abi.BeforeModel, abi.HookSpec{CanJumpTo: []string{"tools"}}, func(m *emit.Module) emit.Code {
				asks := object{"messages": []any{object{"role": "ai", "tool_calls": []any{object{"id": "mine", "name": "search", "args": object{}}}}}, "jump_to": "tools"}
				return emit.Seq(m.InputHas([]byte("\xa1n\x01")), emit.When(m.Say(emit.Value(asks)), emit.Return))
			}),
			searching, modelSays(say("a1", "done")), has(history, `"tool_call_id":"*"`, `"found"`),
			says("with the calls of the last AI message that are not answered (`tools`)"),
		),
		newCase(
			"jump-undeclared", jumps("end", "model"), fault("protocol", "before_model"),
			says("a field, jump target or tool that was not declared"),
		),
		fails("result-response", object{"response": object{}}, "a key that the hook may not use (§6, Result)"),
		fails("result-tool-message", object{"tool_message": object{}}, "a key that the hook may not use (§6, Result)"),
		fails("result-type", object{"messages": "x"}, "a known key with a value of the wrong type"),
		fails(
			"result-patch-stranger", object{"patch": []any{object{"id": "nobody"}}},
			"a patch or removal of a message that does not exist",
		),
		fails("result-remove-stranger", object{"remove": []any{"nobody"}}, "a patch or removal of a message that does not exist"),
		fails(
			"result-patch-removed", object{"remove": []any{"h1"}, "patch": []any{object{"id": "h1"}}},
			"A message that the same update removes cannot be patched.",
		),
		fails(
			"result-patch-role", object{"patch": []any{object{"id": "h1", "role": "ai"}}},
			"a patch or replacement that changes `id`, `role` or `tool_call_id`",
		),
		fails(
			"result-replace-role", message(object{"id": "h1", "role": "ai"}),
			"a patch or replacement that changes `id`, `role` or `tool_call_id`",
		),
		fails("result-role", message(object{"role": "robot"}), "a message with a role other than the four"),
		fails(
			"result-answer-stranger", message(object{"role": "tool", "tool_call_id": "zz"}),
			"a tool message for a call that nobody made or that is already answered (unless `overwrite` is set)",
		),
		fails(
			"result-overwrite-remove", object{"overwrite": true, "remove": []any{"h1"}},
			"`remove` or `patch` beside it is a protocol fault.",
		),
		fails(
			"result-interrupt-twice", object{"interrupts": []any{object{"key": "k", "value": 1}, object{"key": "k", "value": 1}}},
			"an interrupt without a key, or with a key of more than 256 bytes; two interrupts with the same key; more than 64 interrupts",
		),
		fails(
			"result-interrupt-empty", object{"interrupts": []any{object{"key": "", "value": 1}}},
			"an interrupt without a key, or with a key of more than 256 bytes; two interrupts with the same key; more than 64 interrupts",
		),
		fails(
			"result-interrupt-long", object{"interrupts": []any{object{"key": long(257), "value": 1}}},
			"an interrupt without a key, or with a key of more than 256 bytes; two interrupts with the same key; more than 64 interrupts",
		),
		newCase(
			"result-jump-in-wrap", hooked(abi.WrapModelCall, abi.HookSpec{}, writes(object{"jump_to": "end"})),
			fault("protocol", "wrap_model_call"),
			says("| `jump_to?` | `str` | node hooks | a target that `can_jump_to` lists: `model`, `tools` or `end` |"),
		),
	}
}
