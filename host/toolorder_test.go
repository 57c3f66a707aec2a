package host_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
)

// turnTool is a tool that runs in turn.
type turnTool struct{ host.Tool }

func (turnTool) InTurn() {}

// Calls of a tool with a state run in their order; another tool runs beside them, and the first waits for it.
func TestToolsInTurn(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var order []string
	beside := make(chan struct{})
	session := tool.Raw(abi.ToolSpec{Name: "session"}, func(_ context.Context, _ *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) {
		if call.ID == "1" {
			<-beside
		}
		mu.Lock()
		defer mu.Unlock()
		order = append(order, call.ID)
		return host.TextOutput(call.ID), nil
	})
	other := tool.Raw(abi.ToolSpec{Name: "other"}, func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
		close(beside)
		return host.TextOutput("other"), nil
	})
	var calls []abi.ToolCall
	for i := 1; i <= 6; i++ {
		calls = append(calls, abi.Call(fmt.Sprint(i), "session", nil))
	}
	calls = append(calls, abi.Call("7", "other", nil))
	b := setup(t, scripted.CallTools(calls...), scripted.Say("done"))
	b.Tools = []host.Tool{turnTool{session}, other}

	result := b.mustRun()

	require.Equal(t, "done", result.Text())
	require.Equal(t, []string{"1", "2", "3", "4", "5", "6"}, order)
}

// One that fails cancels the others, and the next one in turn does not run.
func TestToolsInTurnThatFail(t *testing.T) {
	t.Parallel()
	ran := []string{}
	session := tool.Raw(abi.ToolSpec{Name: "session"}, func(_ context.Context, _ *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) {
		ran = append(ran, call.ID)
		return nil, fmt.Errorf("call %s failed", call.ID)
	})
	b := setup(t, calls("session", "session", "session"))
	b.Tools = []host.Tool{turnTool{session}}

	_, err := b.run()

	require.ErrorContains(t, err, "call 1 failed")
	require.Equal(t, []string{"1"}, ran)
}

// Behind one that waits for an answer the others wait too: what they do depends on it.
func TestToolsInTurnThatAsk(t *testing.T) {
	t.Parallel()
	for _, parallel := range []int{0, 1} {
		t.Run(fmt.Sprint("parallel ", parallel), func(t *testing.T) {
			t.Parallel()
			ran := []string{}
			session := tool.Raw(abi.ToolSpec{Name: "session"}, func(_ context.Context, rt *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) {
				if call.ID == "2" || call.ID == "3" {
					if _, err := rt.Interrupt("k", wire.String("sure?")); err != nil {
						return nil, err
					}
				}
				ran = append(ran, call.ID)
				return host.TextOutput(call.ID), nil
			})
			b := setup(t, calls("session", "session", "session", "session", "other"), scripted.Say("done")).keeps()
			b.Tools = []host.Tool{turnTool{session}}
			b.answering("other", "")
			b.ToolCalls.Parallel = parallel
			agent := b.build()
			want := [][]string{{"1"}, {"1"}, {"1", "2"}, {"1", "2", "3", "4"}}
			for i, input := range []host.Input{say("hi"), goOn(), resume(host.Answer{Value: true}), resume(host.Answer{Value: true})} {
				result, err := agent.Run(t.Context(), input)
				require.NoError(t, err)
				require.Equal(t, want[i], ran)
				if i < 3 {
					require.Equal(t, host.Interrupted, result.Status)
					require.Len(t, result.Interrupts, 1)
					continue
				}
				require.Equal(t, "done", result.Text())
			}
		})
	}
}
