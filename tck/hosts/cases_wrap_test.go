package hosts_test

import (
	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/tck/hosts"
	"github.com/agenthost/agenthost/tck/internal/emit"
)

// wrapModelCases are about wrap_model_call.
func wrapModelCases() []*def {
	all := abi.HookSpec{Messages: abi.ViewAll()}
	wrap := func(body func(m *emit.Module) emit.Code, fields ...abi.FieldSpec) *emit.Module {
		return hooked(abi.WrapModelCall, all, body, fields...)
	}
	fails3 := modelSays(fails("no"), fails("no"), fails("no"))
	count := func(m *emit.Module) *emit.Module {
		return m.On("wrap_model_call", m.Forward(nil), emit.Drop, m.Say(emit.Value(object{"state": object{"f": 1}})), emit.Return, emit.Number(0))
	}
	counter := func() *emit.Module {
		return count(emit.Hooked(abi.WrapModelCall, abi.HookSpec{}, f("f", "thread", "add")))
	}
	request := func(name string, change object, sentence string, options ...option) *def {
		return newCase(name, wrap(nexts(change, 0)), append(options, status("completed"), says(sentence))...)
	}
	says3 := func(r object) func(m *emit.Module) emit.Code { return nexts(nil, 0, writes(r)) }
	return []*def{
		newCase("wrap-without-next", wrap(nil), frames(1), has(history, `"hello"`),
			says("| 0, or an update alone | the host calls `next` | its outcome is passed on | its error is passed on unchanged |")),
		newCase(
			"wrap-next", wrap(nexts(nil, 0)), statuses(0),
			has(frame(0), `"reply":{"messages":[{"content":"hello","id":"a1","role":"ai"}]`),
			says(
				"With status 0 the reply is a ModelResponse or a ToolReply.",
				"each with an id; the last one with role `ai` is the answer",
			),
		),
		newCase(
			"wrap-next-twice", wrap(nexts(nil, 0, nexts(nil, 0))), inner("counter", counter()),
			modelSays(say("a1", "one"), say("a2", "two")), has(history, `"two"`), hasNot(history, `"one"`), has(state, `{"f":1}`),
			says("A repeated `next` runs everything inside again and drops the state updates of the earlier call"),
		),
		newCase(
			"wrap-reply-stays",
			wrap(nexts(nil, 0, func(m *emit.Module) emit.Code {
				return emit.Seq(m.ReplyHas([]byte("hello")), emit.Not(), emit.When(emit.Trap), m.ReplyHas([]byte("hello")), emit.Not(), emit.When(emit.Trap))
			})),
			status("completed"), says("`reply_read` does the same with the reply; without a reply it returns 0."),
		),
		newCase(
			"wrap-reply-ends",
			wrap(nexts(nil, 0, operates(operation{"time.travel", nil, abi.ENOENT}), in(
				emit.Number(emit.Reply), emit.Number(1<<16), emit.Call(emit.ReplyRead), emit.When(emit.Trap),
			))),
			status("completed"), says("Every `next` and `host_call` discards the reply before it, even if it has no reply itself."),
		),
		newCase(
			"wrap-error-passes", wrap(nexts(nil, abi.StatusFailed)), fails3, status("failed"),
			has(frame(0), `"status":-20`, `"message":`), hasNot(func(r *hosts.RunOutcome) any { return r.Error }, `"kind"`),
			says("| -20 | `failed` | it was done and failed | an Error |", "its error is passed on unchanged"),
		),
		newCase(
			"wrap-retry", wrap(nexts(nil, abi.StatusFailed, nexts(nil, 0))), modelSays(fails("once"), say("a1", "hello")),
			statuses(-20, 0), has(history, `"hello"`),
			says("An **error** is an ordinary outcome: `error` in a Result, or status −20."),
		),
		newCase(
			"wrap-fallback",
			wrap(nexts(nil, abi.StatusFailed, writes(object{"response": object{"messages": []any{object{"content": "sorry"}}}}))),
			fails3, has(history, `"content":"sorry"`, `"role":"ai"`),
			says(
				"| `response`, `tool_message` | a new response or answer; nothing inside runs | a change of the reply | a new response or answer |",
			),
		),
		newCase(
			"wrap-short-circuit", wrap(writes(object{"response": object{"messages": []any{object{"content": "cached"}}}})),
			has(history, `"cached"`), hasNot(history, `"hello"`), holdsNoRequests,
			says(
				"| `response`, `tool_message` | a new response or answer; nothing inside runs | a change of the reply | a new response or answer |",
				"New messages have the role `ai`, which may be left out, or `tool`.",
			),
		),
		newCase(
			"wrap-response", wrap(says3(object{"response": object{"messages": []any{object{"id": "a1", "content": "changed"}}}})),
			has(history, `"content":"changed","id":"a1"`),
			says(
				"an entry with the id of a message of the last reply changes that message, and one without an id is a new "+
					"message; messages that are not listed are dropped",
			),
		),
		newCase(
			"wrap-response-model", wrap(says3(object{"response": object{"model": "renamed"}})), has(history, `"hello"`),
			says("`response` as a change: see ResponseChange; without `messages`, the messages of the reply stay."),
		),
		newCase(
			"wrap-response-kept", wrap(says3(object{"response": object{"messages": []any{object{"id": "a1"}, object{"content": "more"}}}})),
			has(history, `{"content":"hello","id":"a1","role":"ai"},{"content":"more"`),
			says("An entry of `messages` with nothing but an id keeps that message as it is."),
		),
		newCase(
			"wrap-response-no-list", wrap(says3(object{"response": object{"messages": []any{}}})), has(history, `"hello"`),
			says("An empty list is the same as an absent one, and keeps all messages."),
		),
		newCase(
			"wrap-response-of-a-tool", wrap(func(m *emit.Module) emit.Code {
				answered := emit.Value(object{"response": object{"messages": []any{object{"id": "a1"}, object{"role": "tool", "tool_call_id": "c1", "content": "mine"}}}})
				return emit.Seq(m.InputHas([]byte("\xa1n\x01")), emit.When(m.Forward(nil), emit.Drop, m.Say(answered), emit.Return))
			}), searching, has(history, `"content":"mine"`, `"done"`), hasNot(toolCalls, "search"),
			says("New messages have the role `ai`, which may be left out, or `tool`."),
		),
		newCase(
			"wrap-response-of-a-human",
			wrap(says3(object{"response": object{"messages": []any{object{"id": "a1"}, object{"role": "human", "content": "x"}}}})),
			fault("protocol", "wrap_model_call"), says("New messages have the role `ai`, which may be left out, or `tool`."),
		),
		newCase(
			"wrap-response-without-an-answer",
			wrap(writes(object{"response": object{"messages": []any{object{"role": "tool", "tool_call_id": "c1"}}}})),
			fault("protocol", "wrap_model_call"), says("A response without a message of the role `ai` is a protocol fault."),
		),
		newCase(
			"wrap-response-stranger", wrap(says3(object{"response": object{"messages": []any{object{"id": "nobody"}}}})),
			fault("protocol", "wrap_model_call"), says("An id that is not in the reply is a protocol fault."),
		),
		newCase(
			"wrap-response-empty", wrap(writes(object{"response": object{"model": "x"}})), fault("protocol", "wrap_model_call"),
			says("A response without a message of the role `ai` is a protocol fault."),
		),
		newCase(
			"wrap-error", wrap(says3(object{"error": object{"type": "mine", "message": "x"}})), failed("mine"),
			says("| `error` | the hook's error | the hook's error | the hook's error |"),
		),
		newCase(
			"wrap-error-is-seen-outside",
			wrap(nexts(nil, abi.StatusFailed, writes(object{"response": object{"messages": []any{object{"content": "sorry"}}}}))),
			inner(
				"failing",
				hooked(
					abi.WrapModelCall, abi.HookSpec{},
					writes(object{"error": object{"type": "mine", "message": "x", "retryable": true, "data": 7}}),
				),
			),
			has(frame(1), `"reply":{"data":7,"message":"x","retryable":true,"type":"mine"}`), status("completed"),
			says("It is visible to retry and fallback middleware"),
		),
		newCase(
			"wrap-updates", wrap(nexts(nil, 0, writes(object{"state": object{"g": []any{"outer"}}})), f("g", "thread", "append")),
			inner(
				"second",
				hooked(abi.WrapModelCall, abi.HookSpec{Writes: []string{"g"}}, writes(object{"state": object{"g": []any{"inner"}}})),
			),
			func(d *def) { d.Plugins[1].Grant.Writes = []string{"g"} }, has(state, `{"g":["inner","outer"]}`),
			says(
				"Updates of wrap hooks are applied after the response or the answers: in each chain, first those of the "+
					"inner layers, then those of the outer ones",
			),
		),
		newCase(
			"wrap-update-of-a-failure",
			wrap(nexts(nil, abi.StatusFailed, writes(object{"state": object{"f": 1}})), f("f", "thread", "")), fails3, status("failed"),
			hasNot(state, `"f"`), says("If an error is passed on, none of them is applied."),
		),
		newCase(
			"wrap-message", wrap(writes(object{"messages": []any{object{"role": "human", "content": "behind"}}})),
			inner("after", hooked(abi.AfterModel, all, nil)), has(given(1), `"role":"ai"},{"content":"behind"`),
			says("Messages that a wrap hook appends therefore come after the model's answer, so the answer is not the last message that `after_model` finds."),
		),
		newCase(
			"wrap-order", wrap(nexts(object{"append_system": " outer"}, 0)),
			inner("second", hooked(abi.WrapModelCall, abi.HookSpec{}, nexts(object{"append_system": " inner"}, 0))),
			func(d *def) { d.Agent.System = "system" }, has(requests, `"system":"system outer inner"`),
			says(
				"the first plugin of the list is the outermost", "receives the request or call as the layers outside of it left it",
			),
		),
		request(
			"request-system", object{"system": "new", "append_system": "er"},
			"| `append_system?` | Content | appended to the system prompt, after `system`, with nothing between them |",
			func(d *def) { d.Agent.System = "old" }, has(requests, `"system":"newer"`),
		),
		request(
			"request-no-system", object{"system": ""},
			"| `system?` | Content | replaces the system prompt; the empty content removes it |",
			func(d *def) { d.Agent.System = "old" }, hasNot(requests, `"system"`),
		),
		request(
			"request-messages",
			object{"messages": []any{object{"role": "human", "content": "more"}}, "patch": []any{object{"id": "h1", "content": "patched"}}},
			"| `messages?` | [Message] | as in an update (§9), of the request's messages |", has(requests, `"patched"`, `"more"`),
			hasNot(history, `"more"`),
		),
		request(
			"request-settings", object{"settings": object{"temperature": 0.5}, "tool_choice": "none"},
			"| `settings?` | `{any}` | each key replaces the same key of the settings |", searching,
			has(requests, `"settings":{"temperature":0.5}`, `"tool_choice":"none"`),
		),
		request(
			"request-tools", object{"tools": []any{"fetch"}}, "| `tools?` | NameList | the tools to keep, in the request's order; all of them are already offered |",
			searching, withTool(hosts.Tool{Name: "fetch", Answer: "x"}), modelSays(say("a1", "done")),
			has(requests, `"tools":["fetch"]`),
		),
		request(
			"request-no-tools", object{"tools": []any{}}, "`tools: []` offers no tool.", searching, modelSays(say("a1", "done")),
			has(requests, `"tools":[]`),
		),
		request(
			"request-add-tools", object{"add_tools": []any{object{"name": "own", "description": "x"}}},
			"| `add_tools?` | [ToolSpec] | offered as well, after `tools`; no name that is already offered, and no name twice |", inner("runs", hooked(abi.WrapToolCall, abi.HookSpec{}, nil)),
			has(requests, `"tools":["own"]`),
		),
		newCase(
			"request-tools-stranger", wrap(nexts(object{"tools": []any{"nobody"}}, 0)), searching, fault("protocol", "wrap_model_call"),
			says("A name in `tools` that is not offered is a protocol fault, and so is a name in `add_tools` that is already offered."),
		),
		newCase(
			"request-add-tools-offered", wrap(nexts(object{"add_tools": []any{object{"name": "search", "description": "x"}}}, 0)), searching,
			fault("protocol", "wrap_model_call"),
			says("A name in `tools` that is not offered is a protocol fault, and so is a name in `add_tools` that is already offered."),
		),
		request(
			"request-tool-anew", object{"tools": []any{"fetch"}, "add_tools": []any{object{"name": "search", "description": "x"}}},
			"| `add_tools?` | [ToolSpec] | offered as well, after `tools`; no name that is already offered, and no name twice |",
			searching, withTool(hosts.Tool{Name: "fetch", Answer: "x"}), modelSays(say("a1", "done")), has(requests, `"tools":["fetch","search"]`),
		),
		newCase(
			"request-add-tools-nobody-runs",
			wrap(nexts(object{"add_tools": []any{object{"name": "own", "description": "x"}}}, abi.StatusFailed)), status("failed"),
			holdsNoRequests, volatile("/runs/0/error/type", "/runs/0/frames/0/exchanges/0/reply/type", "/runs/0/frames/0/exchanges/0/reply/message"),
			says("A tool that nobody can run fails the call of the model (−20), unless some middleware of the agent has a `wrap_tool_call` hook"),
		),
		newCase(
			"request-tool-choice-of-nothing", wrap(nexts(object{"tool_choice": "any"}, 0)), hasNot(requests, "tool_choice"),
			says("If no tool is offered in the end, `tool_choice` is dropped."),
		),
		newCase(
			"request-model-unknown", wrap(nexts(object{"model": "nobody"}, abi.ENOENT)), statuses(abi.ENOENT), holdsOneRequest, status("completed"),
			says("| `model?` | `str` | the name of a configured model; any other name is `ENOENT` |"),
		),
		request(
			"request-model", object{"model": "small"}, "| `model?` | `str` | the name of a configured model; any other name is `ENOENT` |",
			func(d *def) { d.Agent.Models = map[string][]hosts.Turn{"small": {say("s1", "small")}} },
			has(requests, `"model":"small"`),
		),
		newCase(
			"request-starts-again", wrap(nexts(object{"append_system": "once"}, abi.StatusFailed, nexts(nil, 0))),
			modelSays(fails("x"), say("a1", "hello")), has(func(r *hosts.RunOutcome) any { return r.Requests[0] }, `"system":"once"`),
			hasNot(func(r *hosts.RunOutcome) any { return r.Requests[1] }, `"system"`), says("Each `next` starts from that input again."),
		),
		newCase(
			"request-patch-stranger", wrap(nexts(object{"patch": []any{object{"id": "nobody"}}}, 0)),
			fault("protocol", "wrap_model_call"), says("a patch or removal of a message that does not exist"),
		),
		newCase(
			"next-limit", wrap(nexts(nil, 0, nexts(nil, 0, nexts(nil, abi.ELIMIT)))), modelSays(say("a1", "one"), say("a2", "two")),
			limits(hosts.Limits{Next: 2}), has(history, `"two"`),
			says(
				"| `next` in a frame | 10 | `ELIMIT` |", "The outcome is that of the last `next` that was not refused with an errno",
			),
		),
		newCase(
			"next-too-big", wrap(nexts(nil, abi.ETOOBIG)), limits(hosts.Limits{Input: 3000}), modelSays(say("a1", long(4000))),
			has(history, long(4000)),
			says(
				"if `next` returned `ETOOBIG`, it is the reply that could not be shown.",
				"| input document, and reply | 4 MiB | fault `limit`; `ETOOBIG` |",
			),
		),
		newCase(
			"next-too-big-to-change", wrap(nexts(nil, abi.ETOOBIG, writes(object{"response": object{"messages": []any{object{"content": "x"}}}}))),
			limits(hosts.Limits{Input: 3000}), modelSays(say("a1", long(4000))), fault("protocol", "wrap_model_call"),
			says("A reply that was not shown cannot be changed: `response` and `tool_message` are then protocol faults."),
		),
		newCase(
			"next-too-big-update", wrap(nexts(nil, abi.ETOOBIG, writes(object{"state": object{"f": 1}})), f("f", "thread", "")),
			limits(hosts.Limits{Input: 3000}), modelSays(say("a1", long(4000))), has(state, `{"f":1}`),
			says("The hook may write an update, return an `error`, or call `next` again."),
		),
		newCase(
			"wrap-fault-open", wrap(nexts(nil, 0, in(emit.Trap))), open, has(history, `"hello"`), holdsOneRequest,
			says("after `next` the last outcome of `next` is kept, and nothing is called again."),
		),
		newCase(
			"wrap-fault-open-before", wrap(in(emit.Trap)), open, has(history, `"hello"`), holdsOneRequest,
			says("*Open*: the run goes on as if the hook had returned 0"),
		),
		newCase(
			"wrap-fault-closed", wrap(nexts(nil, 0, in(emit.Trap))), fault("trap", "wrap_model_call"),
			says("*Closed*, the default: the run fails."),
		),
		newCase(
			"closed-by-an-interrupt",
			wrap(
				nexts(
					nil, abi.StatusInterrupted,
					nexts(
						nil, abi.StatusInterrupted, operates(operation{"budget", nil, abi.StatusInterrupted}),
						writes(object{"response": object{"messages": []any{object{"content": "swallowed"}}}}),
					),
				),
			),
			inner(
				"asks",
				hooked(abi.WrapModelCall, abi.HookSpec{}, writes(object{"interrupts": []any{object{"key": "k", "value": "?"}}})),
			),
			status("interrupted"), thread, hasNot(history, "swallowed"),
			says(
				"A frame that has received −21 or −22 is **closed**: later `next` and `host_call` return the same status and have no effect, and the frame's result, error or fault is discarded; the interrupt or cancellation goes outward.",
			),
		),
		newCase(
			"closed-and-a-trap", wrap(nexts(nil, abi.StatusInterrupted, in(emit.Trap))),
			inner(
				"asks",
				hooked(abi.WrapModelCall, abi.HookSpec{}, writes(object{"interrupts": []any{object{"key": "k", "value": "?"}}})),
			),
			status("interrupted"), thread, says("the frame's result, error or fault is discarded"),
		),
		newCase(
			"closed-by-a-cancellation", wrap(nexts(nil, abi.StatusCancelled, nexts(nil, abi.StatusCancelled))),
			modelSays(hosts.Turn{Cancel: true}), status("cancelled"),
			says("| -22 | `cancelled` | the run is cancelled; the frame is closed | none |"),
		),
	}
}

// emitTrap returns a body that traps.
func emitTrap(*emit.Module) emit.Code { return emit.Trap }

// numbered lets the tool search take a number.
func numbered(d *def) {
	d.Agent.Tools[0].Parameters = emit.Value(object{"type": "object", "properties": object{"n": object{"type": "integer"}}})
}

// ownTool returns a guest that wraps the calls of its own tool.
func ownTool() *emit.Module {
	d := emit.Describing(abi.WrapToolCall, abi.HookSpec{})
	d.Tools = []abi.ToolSpec{{Name: "own", Description: "x"}}
	m := emit.New(d)
	m.On("wrap_tool_call", m.Forward(nil), emit.Expect(0), emit.Number(0))
	return m.On("call_tool", m.Say(emit.Value(object{"tool_message": object{"content": "own answer"}})), emit.Return, emit.Number(0))
}

func holdsNoRequests(d *def) { has(func(r *hosts.RunOutcome) any { return len(r.Requests) }, "0")(d) }

func holdsOneRequest(d *def) { has(func(r *hosts.RunOutcome) any { return len(r.Requests) }, "1")(d) }

// wrapToolCases are about wrap_tool_call.
func wrapToolCases() []*def {
	wrap := func(body func(m *emit.Module) emit.Code) *emit.Module {
		return hooked(abi.WrapToolCall, abi.HookSpec{}, body)
	}
	answers := func(keys object) func(m *emit.Module) emit.Code { return writes(object{"tool_message": keys}) }
	dynamic := func() *emit.Module {
		d := emit.Describing(abi.WrapToolCall, abi.HookSpec{})
		d.Tools = []abi.ToolSpec{{Name: "own", Description: "x", Dynamic: true}}
		m := emit.New(d)
		m.On("wrap_tool_call", m.Forward(emit.Value(object{"tool": "own"})), emit.Drop, emit.Number(0))
		return m.On("call_tool", m.Say(emit.Value(object{"tool_message": object{"content": "own answer"}})), emit.Return, emit.Number(0))
	}
	return []*def{
		newCase(
			"tool-wrap-passes", wrap(nexts(nil, 0)), searching,
			has(frame(0), `"reply":{"tool_message":{"content":"found"`, `"name":"search","role":"tool"`, `"tool_call_id":"c1"`),
			says("Keys: `tool_message` (Message, the answer, with role, name and call id)."),
		),
		newCase("tool-wrap-args", wrap(nexts(object{"args": object{"q": "y"}, "set_args": object{"limit": 3}}, 0)), searching,
			has(toolCalls, `{"args":{"limit":3,"q":"y"},"name":"search"}`),
			says("| `set_args?` | `{any}` | each key replaces the same key of the arguments, after `args` |")),
		newCase(
			"tool-wrap-change", wrap(nexts(nil, 0, answers(object{"content": "changed"}))), searching,
			has(history, `"content":"changed"`), says("`tool_message` as a change: its keys replace those of the reply's message."),
		),
		newCase(
			"tool-wrap-answer", wrap(answers(object{"content": "mine"})), searching,
			has(history, `"content":"mine","id":"*","name":"search","role":"tool"`, `"tool_call_id":"c1"`),
			hasNot(toolCalls, "search"), says("the host fills in `role`, `tool_call_id` and `name`"),
		),
		newCase(
			"tool-wrap-name", wrap(nexts(object{"name": "renamed"}, 0)), searching,
			inner("second", hooked(abi.WrapToolCall, abi.HookSpec{}, nil)), has(given(0), `"name":"renamed"`), has(toolCalls, `"renamed"`),
			has(history, `"name":"search","role":"tool"`, `"tool_calls":[{"args":{"q":"x"},"id":"c1","name":"search"}]`),
			says(
				"| `name?` | `str` | the name of the call as inner layers see it; the tool that runs and the name of its answer do not change |",
				"The call in the history stays as the model made it, and its id cannot be changed.",
			),
		),
		newCase(
			"tool-wrap-new-id", wrap(answers(object{"content": "mine", "id": "mine"})), searching, fault("protocol", "wrap_tool_call"),
			says("An `id` is a protocol fault, because the host assigns it."),
		),
		newCase(
			"tool-wrap-misfit", wrap(nexts(object{"args": object{"n": "x"}}, 0)), searching, numbered,
			volatile(
				"/runs/0/frames/0/exchanges/0/reply/tool_message/content", "/runs/0/messages/2/content", "/runs/0/requests/1/messages/2/content",
			),
			hasNot(toolCalls, "search"), has(frame(0), `"status":"error"`, `"tool_call_id":"c1"`),
			says("The host checks the arguments after all of these hooks.", "`next` is `ok`, and its reply is a tool message with the status `error`"),
		),
		newCase(
			"tool-wrap-float", wrap(nexts(object{"args": object{"n": 3.0}}, 0)), searching, numbered, has(toolCalls, `"n":3.0`),
			says("in configurations, arguments and fields a guest may read 3.0 where its schema asks for an integer."),
		),
		newCase(
			"tool-unknown-next", wrap(nexts(nil, 0)), searching, modelSays(say("a1", "", abi.Call("c1", "mystery", nil)), say("a2", "done")),
			volatile(
				"/runs/0/frames/0/exchanges/0/reply/tool_message/content", "/runs/0/messages/2/content", "/runs/0/requests/1/messages/2/content",
			),
			has(frame(0), `"name":"mystery","role":"tool","status":"error"`), hasNot(given(0), `"known"`),
			says("no tool runs and the host answers in its place: `next` is `ok`, and its reply is a tool message with the status `error`"),
		),
		newCase(
			"tool-unknown-renamed", wrap(nexts(object{"name": "renamed"}, 0)), searching,
			modelSays(say("a1", "", abi.Call("c1", "mystery", nil)), say("a2", "done")),
			volatile(
				"/runs/0/frames/0/exchanges/0/reply/tool_message/content", "/runs/0/messages/2/content", "/runs/0/requests/1/messages/2/content",
			),
			has(history, `"name":"renamed","role":"tool","status":"error"`),
			says("An answer that the host gives in place of a tool (§11) has the new name."),
		),
		newCase(
			"tool-of-its-own-plugin", ownTool(), modelSays(say("a1", "", abi.Call("c1", "own", nil)), say("a2", "done")), frames(2),
			has(frame(1), `"content":"own answer"`), says("`wrap_tool_call` hooks wrap the tools of their own plugin like any others."),
		),
		newCase(
			"tool-wrap-other-call", wrap(answers(object{"tool_call_id": "c9"})), searching, fault("protocol", "wrap_tool_call"),
			says("the first two, if given, MUST be right."),
		),
		newCase(
			"tool-wrap-other-role", wrap(nexts(nil, 0, answers(object{"role": "ai"}))), searching,
			fault("protocol", "wrap_tool_call"), says("`id`, `role` and `tool_call_id` MUST NOT differ."),
		),
		newCase(
			"tool-wrap-response", wrap(writes(object{"response": object{}})), searching, fault("protocol", "wrap_tool_call"),
			says("a key that the hook may not use (§6, Result)"),
		),
		newCase(
			"tool-wrap-not-dynamic", wrap(nexts(object{"tool": "search"}, 0)), searching, fault("protocol", "wrap_tool_call"),
			says("| `tool?` | `str` | the tool to run: one that the plugin declared as `dynamic` |"),
		),
		newCase(
			"tool-wrap-error", wrap(nexts(nil, abi.StatusFailed, answers(object{"content": "it failed", "status": "error"}))),
			searching, func(d *def) { d.Agent.Tools[0].Error = "broken" }, statuses(-20), has(history, `"status":"error"`),
			says("| -20 | `failed` | it was done and failed | an Error |"),
		),
		newCase(
			"tool-wrap-tools", hooked(abi.WrapToolCall, abi.HookSpec{Tools: []string{"fetch"}}, nil), searching,
			withTool(hosts.Tool{Name: "fetch", Answer: "x"}), frames(0),
			says("| `tools?` | `[str]` | `wrap_tool_call`: the hook wraps only calls of these tools; absent: all calls |"),
		),
		newCase(
			"tool-unknown", wrap(answers(object{"content": "I know it"})), searching,
			modelSays(say("a1", "", abi.Call("c1", "mystery", nil)), say("a2", "done")), hasNot(given(0), `"known"`),
			has(history, `"I know it"`), says("| `known?` | `bool` | `wrap_tool_call`: the agent has a tool of that name |"),
		),
		newCase(
			"tool-dynamic", dynamic(), searching,
			modelSays(say("a1", "", abi.Call("c1", "mystery", object{"q": 1})), say("a2", "done")), frames(2),
			has(given(0), `"call":{"args":{"q":1},"id":"c1","name":"own"}`), has(history, `"name":"own"`, `"own answer"`),
			has(requests, `"tools":["search"]`),
			says(
				"In the input of `call_tool` the call keeps its id, and its `name` is that of the tool that runs.",
				"for any call, even one that is not `known`",
			),
		),
	}
}
