package builtin_test

import (
	"context"
	"sync"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
)

// desk is an agent with a thread, whose calls a human reviews. Its tools are mail, search and calc.
type desk struct {
	config host.Config
	agent  *host.Agent
	asked  []host.Interrupt // by the last run

	mu  sync.Mutex
	ran []string // calls of tools, such as `mail {"to":"ann"}`
}

// newDesk makes a desk whose model calls tools in its first answer and is done then.
func newDesk(middleware []host.Middleware, calls ...abi.ToolCall) *desk {
	return newLongDesk(middleware, scripted.CallTools(calls...), scripted.Say("done"))
}

func newLongDesk(middleware []host.Middleware, turns ...scripted.Turn) *desk {
	d := &desk{config: host.Config{
		Model: scripted.NewTurns(turns...), Checkpointer: memory.New(), Middleware: middleware,
		ToolCalls: host.ToolCallConfig{Parallel: 1},
	}}
	for _, name := range []string{"mail", "search", "calc"} {
		d.config.Tools = append(d.config.Tools, tool.Raw(abi.ToolSpec{Name: name},
			func(_ context.Context, _ *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) {
				d.mu.Lock()
				defer d.mu.Unlock()
				d.ran = append(d.ran, call.Name+" "+call.Args.JSON())
				return host.TextOutput(name + " result"), nil
			},
		))
	}
	return d
}

// run performs a run of the thread; the agent is built with the first.
func (d *desk) run(t testingT, in host.Input) (*host.Result, error) {
	if d.agent == nil {
		var err error
		d.agent, err = host.New(d.config)
		require.NoError(t, err)
	}
	in.Thread = "t"
	result, err := d.agent.Run(t.Context(), in)
	d.asked = result.Interrupts
	return result, err
}

// start starts a run, which must not fail.
func (d *desk) start(t testingT) *host.Result {
	result, err := d.run(t, host.Input{Messages: []abi.Message{abi.Human("go")}})
	require.NoError(t, err)
	return result
}

// answer answers the questions of the last run, in their order.
func (d *desk) answer(t testingT, answers ...any) (*host.Result, error) {
	require.Len(t, d.asked, len(answers))
	var in host.Input
	for i, answer := range answers {
		in.Resume = append(in.Resume, host.Answer{Interrupt: d.asked[i].ID, Value: answer})
	}
	return d.run(t, in)
}

// finish answers the questions of the last run, after which the run must be over.
func (d *desk) finish(t testingT, answers ...any) *host.Result {
	result, err := d.answer(t, answers...)
	require.NoError(t, err)
	require.Equal(t, host.Completed, result.Status, "%v", result.Interrupts)
	return result
}

// questions shows what the last run asked, without descriptions: `mail {"to":"ann"}`.
func (d *desk) questions(t testingT) (calls []string) {
	show := func(name string, args map[string]any) {
		raw, err := wire.MapOf(args)
		require.NoError(t, err)
		calls = append(calls, name+" "+raw.Raw().JSON())
	}
	for _, asked := range d.asked {
		var alone builtin.ToolApproval
		require.NoError(t, host.Decode(asked.Value, &alone))
		if alone.Type == "tool_approval" {
			show(alone.Name, alone.Args)
			continue
		}
		var request builtin.ReviewRequest
		require.NoError(t, host.Decode(asked.Value, &request))
		require.Len(t, request.ReviewConfigs, len(request.ActionRequests))
		for _, action := range request.ActionRequests {
			show(action.Name, action.Args)
		}
	}
	return calls
}

// reviewing reviews all calls of these tools.
func reviewing(tools ...string) builtin.HumanInTheLoop {
	h := builtin.HumanInTheLoop{InterruptOn: map[string]builtin.ReviewPolicy{}, EditNotice: new("")}
	for _, name := range tools {
		h.InterruptOn[name] = builtin.AnyDecision()
	}
	return h
}

// alone is the same with a question for each call.
func alone(tools ...string) builtin.HumanInTheLoop {
	h := reviewing(tools...)
	h.InterruptMode = "per_call"
	return h
}

func decide(decisions ...builtin.Decision) builtin.Decisions {
	return builtin.Decisions{Decisions: decisions}
}

// The decisions.
var (
	approve = builtin.Decision{Type: builtin.Approve}
	reject  = builtin.Decision{Type: builtin.Reject}
)

func edit(name string, args map[string]any) builtin.Decision {
	return builtin.Decision{Type: builtin.Edit, EditedAction: &builtin.Action{Name: name, Args: args}}
}

// mailTo is a call of the tool mail.
func mailTo(id, to string) abi.ToolCall { return abi.Call(id, "mail", receiver(to)) }

func receiver(name string) map[string]any { return map[string]any{"to": name} }

// watching is a wrap that notes the calls that it sees.
func watching(seen *[]string) host.Middleware {
	return host.WrapToolCall("watch", func(
		ctx context.Context, _ *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
	) (*abi.Message, *host.Update, error) {
		*seen = append(*seen, req.Call.Name+" "+req.Call.Args.JSON())
		message, err := next(ctx, req)
		return message, nil, err
	})
}
