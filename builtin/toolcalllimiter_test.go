package builtin_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
)

// nested is an agent whose hook before_agent calls the tool work so often, and whose model calls it twice then.
func nested(t *testing.T, limit host.Middleware, times int, change ...func(*host.Config)) (agent *host.Agent, ran *atomic.Int64, answers *[]string) {
	t.Helper()
	ran, answers = &atomic.Int64{}, &[]string{}
	config := host.Config{
		Model: scripted.NewTurns(
			scripted.CallTools(abi.Call("1", "work", nil), abi.Call("2", "work", nil)), scripted.Say("done"),
			scripted.CallTools(abi.Call("1", "work", nil), abi.Call("2", "work", nil)), scripted.Say("done"),
		),
		Tools: []host.Tool{tool.Func("work", "", func(context.Context, struct{}) (string, error) {
			ran.Add(1)
			return "worked", nil
		})},
		Middleware: []host.Middleware{limit, host.BeforeAgent("caller", func(ctx context.Context, rt *host.Runtime) (*host.Update, error) {
			for range times {
				answer, err := rt.CallTool(ctx, "work", nil)
				if err != nil {
					return nil, err
				}
				*answers = append(*answers, answer.Content.Text())
			}
			return nil, nil
		})},
	}
	for _, f := range change {
		f(&config)
	}
	agent, err := host.New(config)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	return agent, ran, answers
}

func TestNestedCallsCountAgainstALimit(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		limit  builtin.ToolCallLimit
		nested int // calls of the hook
		ran    int64
		says   string // of the last answer to the hook
	}{
		"room for all":         {builtin.ToolCallLimit{RunLimit: new(5)}, 3, 5, "worked"},
		"room for some":        {builtin.ToolCallLimit{RunLimit: new(4)}, 3, 4, "worked"},
		"of the tool":          {builtin.ToolCallLimit{ToolName: "work", RunLimit: new(4)}, 3, 4, "worked"},
		"of another tool":      {builtin.ToolCallLimit{ToolName: "other", Optional: true, RunLimit: new(1)}, 3, 5, "worked"},
		"no room":              {builtin.ToolCallLimit{RunLimit: new(2)}, 3, 2, "Tool call limit exceeded."},
		"no room in a thread":  {builtin.ToolCallLimit{ThreadLimit: new(2)}, 3, 2, "Tool call limit exceeded."},
		"no room for any":      {builtin.ToolCallLimit{RunLimit: new(0), ExitBehavior: "end"}, 1, 0, "Tool call limit exceeded."},
		"of a tool, no room":   {builtin.ToolCallLimit{ToolName: "work", RunLimit: new(1)}, 2, 1, "Do not call 'work' again."},
		"ends the run when so": {builtin.ToolCallLimit{RunLimit: new(4), ExitBehavior: "end"}, 3, 3, "worked"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			agent, ran, answers := nested(t, test.limit, test.nested)
			_, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})
			require.NoError(t, err)
			require.Equal(t, test.ran, ran.Load())
			require.Contains(t, (*answers)[len(*answers)-1], test.says)
		})
	}
}

func TestANestedCallBeyondALimitCanFailTheRun(t *testing.T) {
	t.Parallel()
	agent, ran, _ := nested(t, builtin.ToolCallLimit{RunLimit: new(1), ExitBehavior: "error"}, 2)
	_, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})
	var limit *host.LimitError
	require.ErrorAs(t, err, &limit)
	require.Equal(t, "Tool call limit reached: run limit exceeded (2/1 calls).", limit.Message)
	require.EqualValues(t, 1, ran.Load())
}

// The thread's count takes nested calls in, and those of a run that is resumed count once.
func TestNestedCallsOfAThread(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	asking := host.WrapToolCall("ask", func(
		ctx context.Context, rt *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
	) (*abi.Message, *host.Update, error) {
		if rt.Nested() && strings.HasSuffix(req.Call.ID, "-3") {
			asked.Add(1)
			if _, err := rt.Interrupt("sure", wire.String("?")); err != nil {
				return nil, nil, err
			}
		}
		m, err := next(ctx, req)
		return m, nil, err
	})
	agent, ran, _ := nested(t, builtin.ToolCallLimit{ThreadLimit: new(7)}, 3, func(c *host.Config) {
		c.Checkpointer = memory.New()
		c.Middleware = append(c.Middleware, asking)
	})
	input := host.Input{Thread: "t", Messages: []abi.Message{abi.Human("go")}}
	for _, want := range []int64{2 + 3, 5 + 2} { // the hook runs twice, what it calls once; in the second run two calls are left
		result, err := agent.Run(t.Context(), input)
		require.NoError(t, err)
		if result.Status == host.Interrupted {
			result, err = agent.Run(t.Context(), host.Input{Thread: "t", Resume: []host.Answer{{Value: true}}})
			require.NoError(t, err)
		}
		require.Equal(t, host.Completed, result.Status)
		require.Equal(t, want, ran.Load())
	}
	require.EqualValues(t, 2, asked.Load())
}
