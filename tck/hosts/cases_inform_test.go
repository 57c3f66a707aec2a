package hosts_test

import (
	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/tck/hosts"
	"github.com/agenthost/agenthost/tck/internal/emit"
)

// informCases are about the operations that tell a guest about its run, and about clock.sleep.
func informCases() []*def {
	none := abi.HookSpec{}
	small := func(d *def) { d.Agent.Models = map[string][]hosts.Turn{"small": {say("s1", "yes")}} }
	costs := func(turn hosts.Turn) hosts.Turn {
		turn.Message.Usage = &abi.Usage{CacheReadTokens: 3, InputTokens: 5, OutputTokens: 2, ReasoningTokens: 1, TotalTokens: 7}
		return turn
	}
	after := func(all ...operation) *emit.Module { return hooked(abi.AfterAgent, none, operates(all...)) }
	wrapping := func(all ...operation) *emit.Module {
		return hooked(abi.WrapModelCall, none, operates(all...))
	}
	ask := operation{abi.OpModelInfo, object{}, 0}
	asks := object{"messages": []any{object{"role": "human", "content": "spam?"}}}
	generating := emit.Describing(abi.AfterAgent, none)
	generating.Capabilities = asking(abi.OpModelGenerate)
	generates := emit.New(generating)
	generates.On("after_agent", operates(operation{abi.OpModelGenerate, asks, 0}, operation{abi.OpRunInfo, nil, 0})(generates), emit.Number(0))
	count := operation{abi.OpTokensCount, object{"messages": []any{object{"role": "human", "content": "hello"}}}, 0}
	sleep := func(ms uint64, want abi.Status) operation {
		return operation{abi.OpClockSleep, object{"duration_ms": ms}, want}
	}
	const longest = 10 * 60 * 1000
	return []*def{
		newCase(
			"run-info", after(operation{abi.OpRunInfo, nil, 0}), func(d *def) { d.Agent.Name, d.Runs[0].Parent = "support", "r0" },
			modelSays(costs(say("a1", "hello"))),
			has(frame(0), `"reply":{"agent":"support","parent":"r0","usage":{"cache_read_tokens":3,"input_tokens":5,"output_tokens":2,"reasoning_tokens":1,"total_tokens":7}}`),
			says(
				"| `run.info` *(1.1)* | none | RunInfo |",
				"`parent?` (`str`, id of the run whose tool or hook started this run; absent: none)", "`agent?` (`str`, the name of the agent)",
			),
		),
		newCase(
			"run-info-least", hooked(abi.BeforeAgent, none, operates(operation{abi.OpRunInfo, nil, 0})), hasNot(frame(0), `"parent"`), hasNot(frame(0), `"agent"`),
			has(frame(0), `"usage":{`), says("absent: none", "| `run.info` *(1.1)* | none | RunInfo |"),
		),
		newCase(
			"run-info-counts-generate", generates, func(d *def) { d.Agent.Models = map[string][]hosts.Turn{"small": {costs(say("s1", "yes"))}} },
			modelSays(costs(say("a1", "hello"))), grant(hosts.Grant{ModelGenerate: &hosts.ModelGrant{Model: "small"}}), has(frame(0), `"total_tokens":14`),
			says("of all model calls of the run so far, those of `model.generate` included"),
		),
		newCase(
			"model-info",
			hooked(abi.BeforeModel, none, operates(
				ask, operation{abi.OpModelInfo, object{"model": "small"}, 0}, operation{abi.OpModelInfo, object{"model": "huge"}, abi.ENOENT},
				operation{abi.OpModelInfo, nil, abi.EINVAL},
			)),
			small, has(frame(0), `"document":{},"status":0,"reply":{"name":"model"}`, `"reply":{"name":"small"}`), statuses(0, 0, abi.ENOENT, abi.EINVAL),
			says(
				"| `model.info` *(1.1)* | ModelQuery | ModelInfo |",
				"`model.info` and `tokens.count` mean the configured model of that name, `ENOENT` if there is none",
				"| `name` | `str` | the provider's name for the model |",
			),
		),
		newCase(
			"model-info-of-a-request", hooked(abi.WrapModelCall, none, nexts(object{"model": "small"}, 0)), small, inner("informed", wrapping(ask)),
			has(frame(0), `"plugin":"informed"`, `"reply":{"name":"small"}`),
			says("without a name, in `wrap_model_call` the model of the hook's request, and elsewhere the agent's."),
		),
		newCase(
			"tools-read", wrapping(operation{abi.OpToolsRead, nil, 0}),
			withTool(hosts.Tool{Name: "search", Answer: "x", Parameters: emit.Value(object{"type": "object", "properties": object{"q": object{"type": "string"}}})}),
			has(frame(0), `"tools":[{"description":"","name":"search","parameters":{"properties":{"q":{"type":"string"}},"type":"object"}}]`),
			says(
				"| `tools.read` *(1.1)* | none | ToolList |",
				"`tools` ([ToolSpec], with `description`, `name` and `parameters`, and `extras` where there are any).",
			),
		),
		newCase(
			"tools-read-of-a-request",
			hooked(abi.WrapModelCall, none, nexts(object{"tools": []any{"search"}, "add_tools": []any{object{"name": "added", "description": "More."}}}, 0)),
			inner("informed", wrapping(operation{abi.OpToolsRead, nil, 0})), inner("runs", hooked(abi.WrapToolCall, none, nil)), withTool(hosts.Tool{Name: "fetch", Answer: "x"}), withTool(hosts.Tool{Name: "search", Answer: "x"}),
			has(frame(0), `"reply":{"tools":[{"description":"","name":"search","parameters":{"type":"object"}},{"description":"More.","name":"added"`),
			says("`tools.read` returns the tools that the request in the hook's input offers, in its order"),
		),
		newCase(
			"tools-read-elsewhere", hooked(abi.BeforeModel, none, operates(operation{abi.OpToolsRead, nil, abi.ENOTSUP})), statuses(abi.ENOTSUP),
			says("outside of `wrap_model_call` it is `ENOTSUP`."),
		),
		newCase(
			"tokens-count",
			hooked(abi.BeforeModel, none, operates(
				count, operation{abi.OpTokensCount, object{"messages": []any{}}, 0},
				operation{abi.OpTokensCount, object{"messages": []any{}, "model": "huge"}, abi.ENOENT}, operation{abi.OpTokensCount, nil, abi.EINVAL},
			)),
			statuses(0, 0, abi.ENOENT, abi.EINVAL), has(frame(0), `"reply":{"tokens":0}`), volatile("/runs/0/frames/0/exchanges/0/reply/tokens"),
			says(
				"| `tokens.count` *(1.1)* | TokenQuery | TokenCount |",
				"`model.info` and `tokens.count` mean the configured model of that name, `ENOENT` if there is none",
			),
		),
		newCase(
			"clock-sleep",
			capable([]string{abi.OpClockSleep}, sleep(1, 0), sleep(0, 0), sleep(longest+1, abi.ELIMIT), operation{abi.OpClockSleep, nil, abi.EINVAL}),
			grant(hosts.Grant{ClockSleep: true}), statuses(0, 0, abi.ELIMIT, abi.EINVAL), status("completed"),
			says(
				"| `clock.sleep` *(1.1)* | SleepRequest | none |",
				"a sleep that is longer than what is left of that limit is `ELIMIT`, at once.",
			),
		),
		newCase(
			"clock-sleep-not-granted", capable([]string{abi.OpClockSleep}, sleep(1, abi.EDENIED)), statuses(abi.EDENIED),
			says("An operation that was not asked for or not granted is `EDENIED`"),
		),
	}
}
