package hosts_test

import (
	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/tck/hosts"
	"github.com/agenthost/agenthost/tck/internal/emit"
)

// toolCases are about the tools of plugins.
func toolCases() []*def {
	own := func(body func(m *emit.Module) emit.Code, fields ...abi.FieldSpec) *emit.Module {
		m := emit.New(abi.Description{Fields: fields, Tools: []abi.ToolSpec{{
			Name: "own", Description: "x", Parameters: emit.Value(object{"type": "object", "required": []any{"n"}, "properties": object{"n": object{"type": "integer"}}}),
		}}})
		return m.On("call_tool", body(m), emit.Number(0))
	}
	called := func(args object) option {
		return modelSays(say("a1", "", abi.Call("c1", "own", args)), say("a2", "done"))
	}
	one := called(object{"n": 1})
	answer := object{"content": "fine", "artifact": object{"a": 1}}
	return []*def{
		newCase(
			"tool", own(writes(object{"tool_message": answer, "state": object{"f": 1}}), f("f", "thread", ""), f("g", "thread", "")),
			one, input(object{"g": 2}),
			has(given(0), `"call":{"args":{"n":1},"id":"c1","name":"own"}`, `"n":0`, `"step":"tools"`, `"state":{"g":2}`),
			has(history, `"artifact":{"a":1},"content":"fine"`, `"tool_call_id":"c1"`), has(requests, `"tools":["own"]`),
			has(state, `{"f":1,"g":2}`),
			says(
				"A tool that the Description lists is offered to the model, unless it is `dynamic`, and runs as `call_tool` with `call` in the input.",
				"`call_tool` is shown all fields that its plugin declares.", "and MAY add an update.",
			),
		),
		newCase(
			"tool-arguments", own(writes(object{"tool_message": answer})), called(object{"n": "x"}), frames(0),
			volatile("/runs/0/messages/2/content", "/runs/0/requests/1/messages/2/content"), has(history, `"status":"error"`),
			says("The host has checked its arguments against `parameters`."),
		),
		newCase(
			"tool-says-nothing", own(in(emit.Number(0), emit.Return)), one, status("failed"), has(frame(0), `"code":0`),
			says(
				"A result without `tool_message`, or a return of 0, is a protocol fault: a tool always answers, if only with an empty text.",
			),
		),
		newCase(
			"tool-only-updates", own(writes(object{})), one, status("failed"),
			says(
				"A result without `tool_message`, or a return of 0, is a protocol fault: a tool always answers, if only with an empty text.",
			),
		),
		newCase(
			"tool-fault", own(in(emit.Trap)), one,
			inner(
				"saves",
				hooked(
					abi.WrapToolCall, abi.HookSpec{},
					nexts(nil, abi.StatusFailed, writes(object{"tool_message": object{"content": "saved"}})),
				),
			),
			has(history, `"saved"`), has(frame(1), `"type":"plugin_trap"`),
			says("A fault in `call_tool` is an error of that tool call under either policy.", "`plugin_KIND` for a fault"),
		),
		newCase(
			"tool-fault-under-open", own(in(emit.Trap)), one, open, status("failed"),
			says("A fault in `call_tool` is an error of that tool call under either policy."),
		),
		newCase(
			"tool-error", own(writes(object{"error": object{"type": "full", "message": "no"}})), one, status("failed"),
			says("`error` is the tool's own error: the run fails, unless middleware turns it into an answer."),
		),
		newCase(
			"tool-error-status", own(writes(object{"tool_message": object{"content": "no", "status": "error"}})), one,
			status("completed"), has(history, `"status":"error"`),
			says("`tool_message` with status `error` is an answer: the model sees it."),
		),
		newCase(
			"tool-next", own(func(m *emit.Module) emit.Code { return emit.Seq(m.Forward(nil), emit.Drop) }), one, status("failed"),
			has(frame(0), `"fault":"protocol"`), says("In other exports `next` is a protocol fault."),
		),
		newCase(
			"tool-state-read", own(func(m *emit.Module) emit.Code {
				return emit.Seq(operates(
					operation{"state.read", object{"count": 1}, abi.EDENIED}, operation{"state.read", object{"fields": []any{"f"}}, 0},
				)(m), writes(object{"tool_message": answer})(m))
			}, f("f", "thread", "")), one, input(object{"f": 1}), statuses(abi.EDENIED, 0), status("completed"),
			says("`call_tool` sees none: it counts as having the view `none`, in `state.read` too."),
		),
		newCase(
			"tool-closed", asksBySearch(), searching, thread, modelSays(say("a1", "", abi.Call("c1", "own", nil)), say("a2", "done")),
			grant(hosts.Grant{ToolCall: []string{"search"}}),
			inner("asks", hooked(
				abi.WrapToolCall, abi.HookSpec{Tools: []string{"search"}}, writes(object{"interrupts": []any{object{"key": "k", "value": 1}}}),
			)),
			status("interrupted"), has(frame(1), `"code":0`, `"closed":"interrupted"`),
			says("The guest SHOULD return at once; returning 0 is enough, even from `call_tool`."),
		),
		newCase(
			"tool-foreign-field", own(writes(object{"tool_message": answer, "state": object{"theirs": 1}})), one, field("theirs"),
			status("failed"), says("`call_tool` writes those of its plugin."),
		),
	}
}

// asksBySearch returns a guest with a tool that calls another tool, is interrupted by it, and returns 0.
func asksBySearch() *emit.Module {
	m := emit.New(abi.Description{Tools: []abi.ToolSpec{{Name: "own"}}, Capabilities: asking(abi.OpToolCall)})
	search := operation{abi.OpToolCall, object{"name": "search", "args": object{}}, abi.StatusInterrupted}
	return m.On("call_tool", operates(search)(m), emit.Number(0))
}

// interruptCases are about questions.
func interruptCases() []*def {
	asks := func(keys ...string) object {
		list := []any{}
		for _, key := range keys {
			list = append(list, object{"key": key, "value": "may I " + key + "?"})
		}
		return object{"interrupts": list, "state": object{"f": 1}}
	}
	asking := func(hook abi.Hook) *emit.Module {
		return hooked(hook, abi.HookSpec{}, func(m *emit.Module) emit.Code {
			return emit.Seq(m.InputHas([]byte("\xa7answers")), emit.Not(), emit.When(m.Say(emit.Value(asks("go"))), emit.Return))
		}, f("f", "thread", ""))
	}
	two := hooked(abi.BeforeModel, abi.HookSpec{}, func(m *emit.Module) emit.Code { // it asks for the missing answers
		return emit.Seq(
			m.InputHas([]byte("\xa1a\xa3yes")), emit.Not(), emit.When(m.Say(emit.Value(asks("a", "b"))), emit.Return),
			m.InputHas([]byte("\xa1b\xa3yes")), emit.Not(), emit.When(m.Say(emit.Value(asks("b"))), emit.Return),
		)
	}, f("f", "thread", ""))
	again := hooked(abi.BeforeModel, abi.HookSpec{}, func(m *emit.Module) emit.Code {
		return emit.Seq(m.InputHas([]byte("\xa2go\xa3yes")), emit.Not(), emit.When(m.Say(emit.Value(asks("go"))), emit.Return))
	}, f("f", "thread", ""))
	return []*def{
		newCase(
			"interrupt", asking(abi.BeforeModel), thread, status("interrupted"),
			has(func(r *hosts.RunOutcome) any { return r.Interrupts }, `{"key":"go","value":"may I go?"}`), hasNot(state, `"f"`),
			hasNot(history, "hello"),
			says("Nothing of the result is applied, the run stops as interrupted, and a checkpoint keeps it."),
		),
		newCase(
			"interrupt-resumed", asking(abi.BeforeModel), resume(object{"go": object{"ok": true}}), status("completed"),
			has(given(0), `"answers":{"go":{"ok":true}}`, `"n":2`), has(history, "hello"),
			says(
				"When it is resumed with answers, the same call is made again from its start, in any instance, with all answers so far in `answers`, by key.",
			),
		),
		newCase(
			"interrupt-answers-end", hooked(abi.BeforeModel, abi.HookSpec{}, func(m *emit.Module) emit.Code {
				return emit.Seq(m.InputHas([]byte("\xa1n\x01")), emit.When(m.Say(emit.Value(asks("go"))), emit.Return))
			}, f("f", "thread", "")), looping(1), resume(object{"go": 1}), status("completed"), has(given(0), `"answers":{"go":1}`),
			hasNot(given(1), "answers"), says("When that step or call is done, its answers are gone, and the next call of the hook asks anew."),
		),
		newCase(
			"interrupt-of-a-wrap", asking(abi.WrapModelCall), resume(object{"go": 1}), status("completed"),
			has(given(0), `"answers":{"go":1}`),
			says("| `interrupts?` | [Interrupt] | all | the run waits for answers, then this hook runs again (§12) |"),
		),
		newCase(
			"interrupt-of-a-tool-call", asking(abi.WrapToolCall), searching, resume(object{"go": 1}), status("completed"),
			has(given(0), `"answers":{"go":1}`),
			says("| `interrupts?` | [Interrupt] | all | the run waits for answers, then this hook runs again (§12) |"),
		),
		newCase(
			"interrupt-part", two, resume(object{"a": "yes"}), status("interrupted"), has(given(0), `"answers":{"a":"yes"}`),
			has(func(r *hosts.RunOutcome) any { return r.Interrupts }, `[{"key":"b"`),
			says(
				"A hook that still lacks an answer returns its interrupts again; a question that it does not repeat is withdrawn.",
			),
		),
		newCase(
			"interrupt-parts", two, resume(object{"a": "yes"}), resume(object{"b": "yes"}), status("completed"),
			has(given(0), `"answers":{"a":"yes","b":"yes"}`), says("with all answers so far in `answers`, by key."),
		),
		newCase(
			"interrupt-again", again, resume(object{"go": "no"}), resume(object{"go": "yes"}), status("completed"),
			has(given(0), `"answers":{"go":"yes"}`),
			says("A key that was answered MAY be asked again: its new answer replaces the old one."),
		),
	}
}
