package tool_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
)

func TestFuncTellsOfItsProgress(t *testing.T) {
	t.Parallel()
	copyFiles := tool.Func("copy", "", func(ctx context.Context, in struct{ Files int }) (string, error) {
		for done := range in.Files {
			host.RuntimeOf(ctx).Emit("progress", wire.Int(int64(done+1)))
		}
		return "copied", nil
	})
	agent, err := host.New(host.Config{
		Model: scripted.NewTurns(scripted.CallTools(abi.Call("1", "copy", map[string]any{"Files": 2})), scripted.Say("done")),
		Tools: []host.Tool{copyFiles},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })

	var heard []string
	for event, err := range agent.Stream(t.Context(), host.Input{}) {
		require.NoError(t, err)
		if event.Type == host.EventCustom || event.Type == host.EventTool {
			heard = append(heard, fmt.Sprint(event.Type, " ", event.Step, " ", event.Name, event.Data.JSON()))
		}
	}

	require.Equal(t, []string{"tool tools null", "custom tools progress1", "custom tools progress2", "tool tools null"}, heard)
}

func TestFuncHasTheAgentsTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var left time.Duration
		slow := tool.Func("slow", "", func(ctx context.Context, _ struct{}) (string, error) {
			deadline, ok := ctx.Deadline()
			require.True(t, ok)
			left = time.Until(deadline)
			<-ctx.Done()
			return "", ctx.Err()
		})
		agent, err := host.New(host.Config{
			Model: scripted.NewTurns(scripted.CallTools(abi.Call("1", "slow", nil)), scripted.Say("done")),
			Tools: []host.Tool{slow}, ToolCalls: host.ToolCallConfig{ToolTimeout: time.Minute},
		})
		require.NoError(t, err)
		result, err := agent.Run(t.Context(), host.Input{})
		require.NoError(t, err)
		require.Equal(t, time.Minute, left)
		answer := result.Messages.At(1)
		require.Equal(t, "Error: tool 'slow' timed out after 1m0s.", answer.Content.Text())
		require.NoError(t, agent.Close())
	})
}

func TestFuncSeesTheState(t *testing.T) {
	t.Parallel()
	visits := host.NewField[int]("visits", host.Reduced(host.Add()))
	count := tool.Func("count", "", func(ctx context.Context, _ struct{}) (*host.ToolOutput, error) {
		rt := host.RuntimeOf(ctx)
		before, _, err := visits.Get(rt.State())
		if err != nil {
			return nil, err
		}
		messages := rt.State().Messages()
		out := host.TextOutput(fmt.Sprintf("%d visits, %d messages", before, messages.Len()))
		out.Update = &host.Update{}
		return out, visits.Set(out.Update, 1)
	})
	agent, err := host.New(host.Config{
		Model: scripted.NewTurns(scripted.CallTools(abi.Call("1", "count", nil)), scripted.CallTools(abi.Call("2", "count", nil)), scripted.Say("done")),
		Tools: []host.Tool{count}, State: []host.Field{visits.Field},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })

	result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}})

	require.NoError(t, err)
	for i, want := range map[int]string{2: "0 visits, 2 messages", 4: "1 visits, 4 messages"} {
		answer := result.Messages.At(i)
		require.Equal(t, want, answer.Content.Text())
	}
}
