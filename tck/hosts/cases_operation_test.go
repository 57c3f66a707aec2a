package hosts_test

import (
	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/tck/hosts"
	"github.com/agenthost/agenthost/tck/internal/emit"
)

// operationCases are about host_call, and the operations that need no grant.
func operationCases() []*def {
	before := func(spec abi.HookSpec, all ...operation) *emit.Module {
		return hooked(abi.BeforeModel, spec, operates(all...))
	}
	none := abi.HookSpec{}
	return []*def{
		newCase(
			"operation-unknown", before(none, operation{"time.travel", nil, abi.ENOENT}), statuses(abi.ENOENT),
			says("An unknown operation is `ENOENT`."),
		),
		newCase(
			"operation-name", before(none, operation{long(65), nil, 0}), fault("protocol", "before_model"),
			says("the operation's name has at most 64 bytes; a longer name is a protocol fault."),
		),
		newCase(
			"operation-limit",
			before(none, operation{"budget", nil, 0}, operation{"none", nil, abi.ENOENT}, operation{"budget", nil, abi.ELIMIT}),
			limits(hosts.Limits{HostCalls: 2}), status("completed"),
			says(
				"| `host_call` in a frame, and in the frames of the tools that it calls | 10,000 | `ELIMIT` |",
				"Every `host_call` counts against the limit, even one that is refused, except in a closed frame.",
			),
		),
		newCase(
			"operation-malformed",
			hooked(
				abi.BeforeModel, none,
				func(m *emit.Module) emit.Code { return emit.Seq(m.Operate("event.emit", []byte{0xc1}), emit.Drop) },
			),
			fault("protocol", "before_model"), says("a document of the guest that is not valid msgpack as in §1"),
		),
		newCase(
			"operation-malformed-unread",
			hooked(abi.BeforeModel, none, func(m *emit.Module) emit.Code {
				return emit.Seq(
					m.Operate("time.travel", []byte{0xc1}), emit.Expect(abi.ENOENT), m.Operate("kv.get", []byte{0xc1}), emit.Expect(abi.EDENIED),
					m.Operate("budget", []byte{0xc1}), emit.Expect(0),
				)
			}),
			status("completed"),
			says("The host copies but does not decode the document of an operation that is unknown, denied or takes no document, so that document may be malformed."),
		),
		newCase(
			"state-read-nothing",
			before(
				abi.HookSpec{Messages: abi.ViewLast(1)}, operation{"state.read", object{}, 0}, operation{"state.read", object{"from": 9, "count": 1}, 0},
				operation{"state.read", object{"count": 1}, 0},
			),
			has(frame(0), `"document":{},"status":0,"reply":{}`, `"document":{"count":1,"from":9},"status":0,"reply":{}`, `"items":[{"content":"hi"`),
			says("If there is nothing to return, the reply is the empty map.", "absent or 0: none", "index in the history of the first message; absent: 0"),
		),
		newCase(
			"budget", before(none, operation{"budget", nil, 0}), has(frame(0), `"reply":{"host_calls":9999,"next":10}`),
			says("| `budget` | none | Budget, after this call |"),
		),
		newCase(
			"state-read-messages",
			before(
				abi.HookSpec{Messages: abi.ViewLast(1)}, operation{"state.read", object{"from": 1, "count": 1}, 0},
				operation{"state.read", object{"from": 9, "count": 9}, 0},
			),
			messages(human("h1", "one"), human("h2", "two"), human("h3", "three")),
			has(frame(0), `"reply":{"items":[{"content":"two","id":"h2","role":"human"}]}`, `"reply":{}`),
			says("`items?` ([Message], the messages asked for, none beyond the end of the history)"),
		),
		newCase(
			"state-read-denied",
			before(
				none, operation{"state.read", object{"count": 1}, abi.EDENIED},
				operation{"state.read", object{"fields": []any{"f"}}, abi.EDENIED},
			),
			statuses(abi.EDENIED, abi.EDENIED),
			says(
				"The status is `EDENIED` if a hook with the view `none` asks for messages, or if a hook asks for a field "+
					"that it may not read (§8).",
			),
		),
		newCase(
			"state-read-invalid",
			before(none, operation{"state.read", object{"fields": 7}, abi.EINVAL}, operation{"state.read", nil, abi.EINVAL}),
			statuses(abi.EINVAL, abi.EINVAL),
			says("A document other than the one in the table is `EINVAL`, and so is an event's name that is not allowed."),
		),
		newCase(
			"state-read-too-big",
			before(abi.HookSpec{Messages: abi.ViewLast(1)}, operation{"state.read", object{"count": 9}, abi.ETOOBIG}),
			limits(hosts.Limits{Input: 2000}), messages(human("h1", long(1500)), human("h2", long(1500))), statuses(abi.ETOOBIG),
			says("A reply larger than the input limit is `ETOOBIG`."),
		),
		newCase(
			"event",
			before(
				none, operation{"event.emit", object{"name": "progress", "data": object{"done": 0.5}}, 0},
				operation{"event.emit", object{"name": "no name"}, abi.EINVAL},
			),
			statuses(0, abi.EINVAL), has(events, `{"data":{"done":0.5},"name":"progress","step":"guest.before_model"}`),
			says("| `event.emit` | EventEmit | none |"),
		),
		newCase(
			"event-limit",
			before(
				none, operation{"event.emit", object{"name": "progress", "data": long(1500)}, 0},
				operation{"event.emit", object{"name": "progress"}, 0}, operation{"event.emit", object{"name": "progress"}, abi.ELIMIT},
			),
			limits(hosts.Limits{Events: 3000}), statuses(0, 0, abi.ELIMIT), status("completed"),
			says(
				"Beyond the limit of events in a frame (§14) the status is `ELIMIT`.",
				"| events of a frame; each counts as 512 bytes and its data | 1 MiB | `ELIMIT` |",
			),
		),
		newCase(
			"event-of-a-hook-that-fails",
			hooked(abi.BeforeModel, none, func(m *emit.Module) emit.Code {
				return emit.Seq(operates(operation{"event.emit", object{"name": "x"}, 0})(m), emit.Trap)
			}),
			fault("trap", "before_model"), has(events, `"name":"x"`),
			says("`event.emit` puts an event into the run's stream at once, whatever happens to the hook afterwards."),
		),
	}
}

// capabilityCases are about operations that must be granted.
func capabilityCases() []*def {
	store := hosts.Grant{KV: &hosts.KVGrant{}}
	kv := []string{abi.OpKVGet, abi.OpKVPut, abi.OpKVDelete, abi.OpKVList}
	put := func(key string, value any) object { return object{"scope": "run", "key": key, "value": value} }
	at := func(scope, key string) object { return object{"scope": scope, "key": key} }
	versioned := func(doc object, version int) object {
		doc["if_version"] = version
		return doc
	}
	small := func(d *def) {
		d.Agent.Models = map[string][]hosts.Turn{"small": {say("s1", "yes"), say("s2", "no")}}
	}
	asks := object{"messages": []any{object{"role": "human", "content": "spam?"}}}
	required := emit.Describing(abi.BeforeAgent, abi.HookSpec{})
	required.Capabilities = []abi.Capability{{Op: abi.OpClockNow, Reason: "x", Required: true}}
	return []*def{
		newCase(
			"capability-not-granted", capable([]string{abi.OpClockNow}, operation{abi.OpClockNow, nil, abi.EDENIED}),
			statuses(abi.EDENIED), says("An operation that was not asked for or not granted is `EDENIED`"),
		),
		newCase(
			"capability-not-asked", capable(nil, operation{abi.OpClockNow, nil, abi.EDENIED}), grant(hosts.Grant{ClockNow: true}),
			statuses(abi.EDENIED), says("An operation that was not asked for or not granted is `EDENIED`"),
		),
		newCase(
			"capability-required", emit.New(required).On("before_agent", emit.Number(0)), refused,
			says("one that is required but not granted keeps the plugin from being loaded"),
		),
		newCase(
			"clock", capable([]string{abi.OpClockNow}, operation{abi.OpClockNow, nil, 0}), grant(hosts.Grant{ClockNow: true}),
			has(frame(0), `"reply":{"unix_ns":"*"}`), says("| `clock.now` | none | Clock |"),
		),
		newCase(
			"random-too-many",
			capable([]string{abi.OpRandomBytes}, operation{abi.OpRandomBytes, object{"count": 65537}, abi.EINVAL}),
			grant(hosts.Grant{RandomBytes: true}), statuses(abi.EINVAL), says("more than 65,536 at once are `EINVAL`."),
		),
		newCase(
			"random-none", capable([]string{abi.OpRandomBytes}, operation{abi.OpRandomBytes, object{"count": 0}, 0}),
			grant(hosts.Grant{RandomBytes: true}), has(frame(0), `{"bytes":{"$bytes":""}}`),
			says("| `random.bytes` | RandomRequest | RandomBytes |"),
		),
		newCase(
			"kv",
			capable(
				kv, operation{abi.OpKVGet, at("run", "a"), abi.ENOENT},
				operation{abi.OpKVPut, versioned(put("a", object{"n": 1}), 0), 0}, operation{abi.OpKVGet, at("run", "a"), 0},
				operation{abi.OpKVPut, versioned(put("a", 2), 0), abi.ECONFLICT}, operation{abi.OpKVPut, put("b", nil), 0},
				operation{abi.OpKVList, object{"scope": "run"}, 0}, operation{abi.OpKVList, object{"scope": "run", "after": "a"}, 0},
				operation{abi.OpKVDelete, at("run", "a"), 0}, operation{abi.OpKVDelete, at("run", "a"), 0},
				operation{abi.OpKVGet, at("plugin", "b"), abi.ENOENT},
			),
			grant(store), has(frame(0), `"reply":{"value":{"n":1},"version":`), status("completed"),
			says(
				"With `if_version` a write or deletion has an effect only if the entry still has that version, otherwise it is `ECONFLICT`: read again, and decide again.",
				"`kv.get` of a key that has no entry is `ENOENT`; deleting it is `ok`.", "0: only if there is no entry",
			),
		),
		newCase(
			"kv-scopes",
			capable(
				kv, operation{abi.OpKVGet, at("plugin", "a"), abi.EDENIED}, operation{abi.OpKVGet, at("thread", "a"), abi.ENOTSUP},
				operation{abi.OpKVGet, at("nowhere", "a"), abi.EINVAL},
			),
			grant(hosts.Grant{KV: &hosts.KVGrant{Scopes: []string{"run", "thread"}}}),
			statuses(abi.EDENIED, abi.ENOTSUP, abi.EINVAL),
			says(
				"A scope that was not granted is `EDENIED`, `thread` in a run without a thread `ENOTSUP`.",
				"other keys, scopes and prefixes are `EINVAL`",
			),
		),
		newCase(
			"kv-keys",
			capable(
				kv, operation{abi.OpKVPut, put("", 1), abi.EINVAL}, operation{abi.OpKVPut, put(long(513), 1), abi.EINVAL},
				operation{abi.OpKVPut, put("a\nb", 1), abi.EINVAL}, operation{abi.OpKVPut, put(long(512), 1), 0},
			),
			grant(store), statuses(abi.EINVAL, abi.EINVAL, abi.EINVAL, 0),
			says(
				"A key is a `str` of 1 to 512 bytes without control characters (U+0000 to U+001F, U+007F to U+009F), a "+
					"value is anything of at most 1 MiB when encoded",
			),
		),
		newCase(
			"kv-of-a-module-listed-twice", capable(kv, operation{abi.OpKVGet, at("plugin", "a"), abi.ENOENT}, operation{abi.OpKVPut, object{
				"scope": "plugin", "key": "a", "value": 1,
			}, 0}), grant(store), twice, frames(2), status("completed"), has(given(1), `"n":1`, `"step":"guest#2.before_agent"`),
			says("A module that the operator lists twice is two plugins: the second is called `NAME#2` unless the operator names it"),
		),
		newCase(
			"kv-quota",
			capable(
				kv, operation{abi.OpKVPut, put("a", long(200)), 0}, operation{abi.OpKVPut, put("b", 1), 0},
				operation{abi.OpKVPut, put("c", 1), abi.ELIMIT},
			),
			grant(hosts.Grant{KV: &hosts.KVGrant{Entries: 2}}), statuses(0, 0, abi.ELIMIT),
			says("A write beyond the quota, or of a value that is too large, is `ELIMIT`."),
		),
		newCase("kv-stays", trapping(abi.OpKVPut, put("a", 1)), grant(store), fault("trap", "before_agent"), statuses(0),
			says("Unlike an update, a write takes effect at once and is not taken back if the hook fails or runs again")),
		newCase(
			"generate",
			capable(
				[]string{abi.OpModelGenerate}, operation{abi.OpModelGenerate, asks, 0},
				operation{abi.OpModelGenerate, asks, abi.ELIMIT},
			),
			small, grant(hosts.Grant{ModelGenerate: &hosts.ModelGrant{Model: "small", Calls: 1}}), has(frame(0), `"content":"yes"`),
			statuses(0, abi.ELIMIT), has(requests, `"spam?"`, `"tools":[]`),
			says(
				"it counts against the calls that the operator granted for the run, whether it succeeds or not: a call beyond them is `ELIMIT`.",
				"No tools are offered, no hooks run around the call",
			),
		),
		newCase(
			"generate-other-model",
			capable(
				[]string{abi.OpModelGenerate},
				operation{abi.OpModelGenerate, object{"messages": []any{object{"role": "human"}}, "model": "large"}, abi.EDENIED},
			),
			small, grant(hosts.Grant{ModelGenerate: &hosts.ModelGrant{Model: "small"}}), statuses(abi.EDENIED),
			says("A model other than the granted one is `EDENIED`."),
		),
		newCase(
			"generate-fails", capable([]string{abi.OpModelGenerate}, operation{abi.OpModelGenerate, asks, abi.StatusFailed}), small,
			func(d *def) { d.Agent.Models["small"] = []hosts.Turn{fails("down")} },
			grant(hosts.Grant{ModelGenerate: &hosts.ModelGrant{Model: "small"}}), statuses(abi.StatusFailed),
			says("An error of the model is −20 with its Error, a cancellation −22."),
		),
		newCase(
			"tool-call",
			capable(
				[]string{abi.OpToolCall}, operation{abi.OpToolCall, object{"name": "search", "args": object{"q": "y"}}, 0},
				operation{abi.OpToolCall, object{"name": "fetch", "args": object{}}, abi.EDENIED},
			),
			searching, withTool(hosts.Tool{Name: "fetch", Answer: "x"}), modelSays(say("a1", "done")),
			grant(hosts.Grant{ToolCall: []string{"search"}}), statuses(0, abi.EDENIED), has(frame(0), `"content":"found"`),
			hasNot(history, `"found"`), has(toolCalls, `{"args":{"q":"y"},"name":"search"}`),
			says("it is not added to the history. A tool that was not granted is `EDENIED`"),
		),
		newCase(
			"tool-call-wrapped",
			capable([]string{abi.OpToolCall}, operation{abi.OpToolCall, object{"name": "search", "args": object{}}, 0}), searching,
			modelSays(say("a1", "done")),
			inner(
				"around",
				hooked(
					abi.WrapToolCall, abi.HookSpec{}, nexts(nil, 0, writes(object{"tool_message": object{"content": "wrapped"}})),
				),
			),
			grant(hosts.Grant{ToolCall: []string{"search"}}), has(frame(1), `"content":"wrapped"`),
			says(
				"A tool of the agent runs with these arguments as if the model had called it: inside of all `wrap_tool_call` hooks that wrap its calls",
			),
		),
		newCase(
			"tool-call-fails",
			capable(
				[]string{abi.OpToolCall}, operation{abi.OpToolCall, object{"name": "search", "args": object{}}, abi.StatusFailed},
			),
			searching, modelSays(say("a1", "done")), func(d *def) { d.Agent.Tools[0].Error = "broken" },
			grant(hosts.Grant{ToolCall: []string{"search"}}), statuses(abi.StatusFailed), status("completed"),
			says("A tool's own error is −20 with an Error, a cancellation −22."),
		),
		newCase(
			"tool-call-asks",
			capable(
				[]string{abi.OpToolCall},
				operation{abi.OpToolCall, object{"name": "search", "args": object{}}, abi.StatusInterrupted},
				operation{"budget", nil, abi.StatusInterrupted},
			),
			searching, thread,
			inner(
				"asks",
				hooked(abi.WrapToolCall, abi.HookSpec{}, writes(object{"interrupts": []any{object{"key": "k", "value": 1}}})),
			),
			grant(hosts.Grant{ToolCall: []string{"search"}}), status("interrupted"),
			says(
				"An interrupt of the tool, or of a hook around it, is −21 and closes the frame: the step of the hook that called stops as interrupted.",
			),
		),
		newCase(
			"fetch-not-granted-host",
			capable(
				[]string{abi.OpHTTPFetch}, operation{abi.OpHTTPFetch, object{"url": "https://other.example/"}, abi.EDENIED},
				operation{abi.OpHTTPFetch, object{"url": "nonsense"}, abi.EINVAL},
			),
			grant(hosts.Grant{HTTPFetch: []string{"api.example.com"}}), statuses(abi.EDENIED, abi.EINVAL),
			says(
				"A request that the grant does not allow is `EDENIED`, one that is malformed `EINVAL`, as long as nothing was sent.",
			),
		),
	}
}

// trapping returns a guest that calls an operation and traps.
func trapping(op string, doc object) *emit.Module {
	d := emit.Describing(abi.BeforeAgent, abi.HookSpec{})
	d.Capabilities = asking(op)
	m := emit.New(d)
	return m.On("before_agent", m.Operate(op, emit.Value(doc)), emit.Expect(0), emit.Trap)
}
