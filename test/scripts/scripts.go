// Package scripts runs agents around a plugin that is a script, for the tests of the engines in sdk/js and sdk/python. Their agents have a model that calls
// the tool search once, and then says what it found.
package scripts

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/tool"
)

// Bench has the engine of the tests of a package, which compiles each module once. The function returns the module of a script.
type Bench struct {
	Engine *plugin.Engine
	Module func(source string) ([]byte, error)
}

// Run makes the engine, runs the tests of a package, and returns the code with which the process must end.
func (b *Bench) Run(m *testing.M) int {
	var err error
	if b.Engine, err = plugin.NewEngine(plugin.EngineConfig{Memory: 4 << 30}); err != nil {
		panic(err)
	}
	code := m.Run()
	if err := b.Engine.Close(); err != nil {
		panic(err)
	}
	return code
}

// searcher is the model.
type searcher struct{}

func (searcher) Info() model.Info { return model.Info{Name: "searcher"} }

func (searcher) Generate(_ context.Context, req *model.Request) (*model.Response, error) {
	if m, ok := req.Messages.Last(); ok && m.Role == abi.RoleTool {
		return model.Reply(abi.AI("found: " + m.Content.Text())), nil
	}
	return model.Reply(abi.AI("", abi.Call("call-1", "search", map[string]any{"q": "x", "n": 2}))), nil
}

// Agent builds an agent around a script, and returns it with its log.
func (b *Bench) Agent(t *testing.T, source string, change ...func(*plugin.Wasm)) (*host.Agent, *strings.Builder, error) {
	t.Helper()
	module, err := b.Module(source)
	require.NoError(t, err)
	w := plugin.Wasm{ID: "policy", Bytes: module, Engine: b.Engine, Limits: plugin.Limits{Deadline: time.Minute}}
	for _, f := range change {
		f(&w)
	}
	var logged strings.Builder
	search := tool.Raw(abi.ToolSpec{Name: "search"}, func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
		return host.TextOutput("a needle"), nil
	})
	agent, err := host.New(host.Config{
		Model: searcher{}, Tools: []host.Tool{search}, Middleware: []host.Middleware{w}, Seed: func() uint64 { return 7 },
		Logger: slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Clock:  func() time.Time { return time.Unix(1_700_000_000, 0) },
	})
	if err == nil {
		t.Cleanup(func() { require.NoError(t, agent.Close()) })
	}
	return agent, &logged, err
}

// Result builds an agent around a script, runs it, and returns the result and what was logged.
func (b *Bench) Result(t *testing.T, source string, change ...func(*plugin.Wasm)) (*host.Result, string, error) {
	t.Helper()
	agent, logged, err := b.Agent(t, source, change...)
	require.NoError(t, err)
	result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}})
	return result, logged.String(), err
}

// Text returns the text of the last message of a run.
func Text(t *testing.T, r *host.Result) string {
	t.Helper()
	last, ok := r.Messages.Last()
	require.True(t, ok)
	return last.Content.Text()
}
