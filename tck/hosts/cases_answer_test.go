package hosts_test

import (
	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/tck/hosts"
	"github.com/agenthost/agenthost/tck/internal/emit"
)

// answerCases are about questions that the authors of guests without an SDK had.
func answerCases() []*def {
	none := abi.HookSpec{}
	d := emit.Describing(abi.BeforeAgent, none)
	d.Context = []string{"tenant"}
	asking := emit.New(d).On("before_agent", emit.Number(0))
	costs := func(d *def) {
		d.Agent.Model = []hosts.Turn{say("a1", "hello")}
		d.Agent.Model[0].Message.Usage = &abi.Usage{InputTokens: 5, OutputTokens: 2, TotalTokens: 7}
	}
	keeps := emit.New(emit.Describing(abi.BeforeModel, none))
	keeps.On("configure", emit.Number(1), emit.StoreGlobal(), emit.Number(0))
	keeps.On("before_model", emit.LoadGlobal(), emit.Not(), emit.When(emit.Trap), emit.Number(0))
	refuses := emit.New(emit.Describing(abi.BeforeModel, none)).On("before_model", emit.Number(0))
	refuses.On("configure", refuses.Write(emit.Value(object{"error": object{"type": "config", "message": "no"}})), emit.Number(0))
	return []*def{
		newCase(
			"buffer-larger-than-the-memory",
			hooked(abi.BeforeModel, none, in(
				emit.Number(emit.Input), emit.Number(-1), emit.Call(emit.InputRead), emit.Get(0), emit.Code{0x47}, emit.When(emit.Trap),
			)),
			status("completed"), says("Only what is copied must lie within the memory, and not all of `cap`."),
		),
		newCase(
			"result-of-no-bytes", hooked(abi.BeforeModel, none, in(emit.Number(emit.Input), emit.Number(0), emit.Call(emit.ResultWrite), emit.Drop, emit.Exit(1))),
			fault("protocol", "before_model"), says("A result of 0 bytes is malformed."),
		),
		newCase("configure-returns-0-after-a-write", refuses, status("completed"), says("If the guest returns 0, what it has written does not count.")),
		newCase("configure-keeps", keeps, status("completed"), frames(1), says("What `_initialize` and `configure` left there is there in every call.")),
		newCase(
			"context-large", asking, grant(hosts.Grant{Context: []string{"tenant"}}), runContext(object{"tenant": long(6000)}),
			has(given(0), `"context":{"tenant":"xxxx`), says("Values are shown whatever their size"),
		),
		newCase(
			"run-info-after-next", hooked(abi.WrapModelCall, none, nexts(nil, 0, operates(operation{abi.OpRunInfo, nil, 0}))), costs,
			has(frame(0), `"total_tokens":7}`), says("A call that has ended counts, also in the hook around it."),
		),
		newCase(
			"tools-read-after-next", hooked(abi.WrapModelCall, none, nexts(object{"tools": []any{}}, 0, operates(operation{abi.OpToolsRead, nil, 0}))),
			withTool(hosts.Tool{Name: "search", Answer: "x"}), has(frame(0), `"reply":{"tools":[{"description":"","name":"search"`),
			says("`tools.read` returns the tools that the request in the hook's input offers, in its order, whatever the hook passed to `next`"),
		),
	}
}
