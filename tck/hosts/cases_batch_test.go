package hosts_test

import (
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/tck/hosts"
	"github.com/agenthost/agenthost/tck/internal/emit"
)

// batchCases are about several operations at once.
func batchCases() []*def {
	small := func(turns ...hosts.Turn) option {
		return func(d *def) { d.Agent.Models = map[string][]hosts.Turn{"small": turns} }
	}
	generate := object{"op": abi.OpModelGenerate, "payload": object{"messages": []any{object{"role": "human", "content": "spam?"}}}}
	fetching := object{"op": abi.OpHTTPFetch, "payload": object{"url": "https://api.example.com/"}}
	batch := func(want abi.Status, calls ...any) operation {
		return operation{abi.OpBatch, object{"calls": calls}, want}
	}
	granted := grant(hosts.Grant{ModelGenerate: &hosts.ModelGrant{Model: "small"}})
	generating := func(all ...operation) *emit.Module {
		return capable([]string{abi.OpModelGenerate, abi.OpHTTPFetch}, all...)
	}
	const own = "Each counts as a `host_call` of its own, is allowed or refused as it would be alone, and has a status and a reply of its own."
	return []*def{
		newCase(
			"batch",
			generating(batch(
				0, generate, fetching, object{"op": abi.OpKVGet, "payload": object{"scope": "run", "key": "a"}}, object{"op": "time.travel"},
				object{"op": abi.OpModelGenerate, "payload": object{"messages": 1}}, object{"op": abi.OpModelGenerate},
			)),
			granted, small(say("s1", "yes")), has(
				frame(0), `"reply":{"replies":[{"reply":{"messages":[{"content":"yes","id":"s1","role":"ai"}]`,
				`"status":0},{"status":-4},{"status":-5},{"status":-5},{"status":-1},{"status":-1}]}`,
			),
			has(requests, `"spam?"`),
			says(
				"| `batch` *(1.1)* | Batch | BatchReplies |", own, "The status of any other operation is `ENOTSUP`",
				"`reply?` (`any`, the reply, or an Error with status −20), `status` (`int`, see §4).",
			),
		),
		newCase(
			"batch-failed", generating(batch(0, generate)), granted, small(fails("down")), has(frame(0), `"replies":[{"reply":{`, `"status":-20}]`),
			status("completed"), says("`reply?` (`any`, the reply, or an Error with status −20), `status` (`int`, see §4)."),
		),
		newCase(
			"batch-of-calls",
			generating(batch(0, generate, generate), operation{abi.OpBudget, nil, abi.ELIMIT}), granted, small(say("s1", "yes")),
			limits(hosts.Limits{HostCalls: 2}), has(frame(0), `"status":0},{"status":-7}]`),
			says(own, "that of the calls beyond the limit of `host_call` is `ELIMIT`"),
		),
		newCase(
			"batch-of-nothing",
			generating(batch(abi.EINVAL), batch(abi.EINVAL, slices.Repeat([]any{object{"op": "x"}}, 33)...), operation{abi.OpBatch, nil, abi.EINVAL}), granted,
			small(say("s1", "yes")), statuses(abi.EINVAL, abi.EINVAL, abi.EINVAL), hasNot(requests, `"small"`), says("No calls, or more than 32, are `EINVAL`."),
		),
		newCase(
			"batch-cancelled",
			generating(batch(abi.StatusCancelled, generate), operation{abi.OpBudget, nil, abi.StatusCancelled}), granted, small(hosts.Turn{Cancel: true}),
			status("cancelled"), says("If the run is cancelled meanwhile, the status of `batch` itself is −22."),
		),
		newCase(
			"batch-too-big", generating(batch(0, generate, fetching)), granted, small(say("s1", long(1500))), limits(hosts.Limits{Input: 1500}),
			has(frame(0), `"replies":[{"status":-3},{"status":-4}]`),
			says("A reply with which the replies would be larger than the input limit is left out, and its status is `ETOOBIG`."),
		),
	}
}
