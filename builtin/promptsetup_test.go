package builtin_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
)

// listener is an agent with threads, which keeps what its model is asked. Its tools are search and calc.
type listener struct {
	config host.Config
	agent  *host.Agent
	model  *scripted.Turns
	asked  []*model.Request
	mu     sync.Mutex
	ran    []string // names of tools
}

// newListener makes an agent whose model says these turns and then nothing.
func newListener(middleware []host.Middleware, turns ...scripted.Turn) *listener {
	l := &listener{model: &scripted.Turns{Script: turns, AfterEnd: scripted.EndEmpty}}
	hear := host.WrapModelCall("listen", func(
		ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
	) (*model.Response, *host.Update, error) {
		l.asked = append(l.asked, req)
		resp, err := next(ctx, req)
		return resp, nil, err
	}, host.PassesTokens())
	l.config = host.Config{
		Model: l.model, Middleware: append(middleware, hear), Checkpointer: memory.New(), ToolCalls: host.ToolCallConfig{Parallel: 1},
	}
	for _, name := range []string{"search", "calc"} {
		l.config.Tools = append(l.config.Tools, tool.Raw(abi.ToolSpec{Name: name},
			func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
				l.mu.Lock()
				defer l.mu.Unlock()
				l.ran = append(l.ran, name)
				return host.TextOutput(name + " result"), nil
			},
		))
	}
	return l
}

// run performs a run of a thread; the agent is built with the first.
func (l *listener) run(t *testing.T, thread string, in host.Input) (*host.Result, error) {
	t.Helper()
	if l.agent == nil {
		var err error
		l.agent, err = host.New(l.config)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, l.agent.Close()) })
	}
	in.Thread = thread
	return l.agent.Run(t.Context(), in)
}

// say performs a run with one more human message, which must not fail.
func (l *listener) say(t *testing.T, thread, text string) *host.Result {
	t.Helper()
	result, err := l.run(t, thread, host.Input{Messages: []abi.Message{abi.Human(text)}})
	require.NoError(t, err)
	return result
}

// systems are the system prompts of all model calls, as their blocks' texts.
func (l *listener) systems() [][]string {
	out := make([][]string, len(l.asked))
	for i, req := range l.asked {
		for _, block := range req.System.Blocks() {
			out[i] = append(out[i], block.Text())
		}
	}
	return out
}
