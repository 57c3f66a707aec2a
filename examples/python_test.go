package examples_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/script"
	"github.com/agenthost/agenthost/internal/testcache"
)

// sayer is a model that says its name and its system prompt, for 60 tokens.
type sayer string

func (s sayer) Info() model.Info { return model.Info{Name: string(s)} }

func (s sayer) Generate(_ context.Context, req *model.Request) (*model.Response, error) {
	said := abi.AI(string(s) + ": " + req.System.Text())
	said.Usage = &abi.Usage{InputTokens: 50, OutputTokens: 10, TotalTokens: 60}
	return model.Reply(said), nil
}

func TestABudgetAndARouterInPython(t *testing.T) {
	t.Parallel()
	engine, err := plugin.NewEngine(plugin.EngineConfig{Dir: testcache.Dir(), Loaders: []plugin.Loader{script.Loader{}}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, engine.Close()) })
	say := func(agent *host.Agent, text string) string {
		result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human(text)}})
		require.NoError(t, err)
		last, ok := result.Messages.Last()
		require.True(t, ok)
		return last.Content.Text()
	}
	now := time.Date(2026, 3, 1, 23, 0, 0, 0, time.UTC)
	with := func(w plugin.Wasm) *host.Agent {
		w.Engine, w.Limits.Deadline = engine, time.Minute
		agent, err := host.New(host.Config{
			Model: sayer("small"), Models: map[string]model.Model{"large": sayer("large")}, Middleware: []host.Middleware{w},
			SystemPrompt: abi.Text("Be brief."), Clock: func() time.Time { return now },
		})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, agent.Close()) })
		return agent
	}

	budget := with(plugin.Wasm{
		Path: "python/budget/budget.py", Config: map[string]any{"tenant": "acme", "tokens": 100}, Grant: plugin.Grant{KV: &plugin.KVGrant{}},
	})
	require.Equal(t, "small: Be brief.", say(budget, "hi"))
	require.Equal(t, "small: Be brief.", say(budget, "hi"))
	require.Contains(t, say(budget, "hi"), "The budget of tokens for today is used up.")
	now = now.Add(2 * time.Hour)
	require.Equal(t, "small: Be brief.", say(budget, "hi"))

	router := with(plugin.Wasm{Path: "python/router/router.py", Config: map[string]any{"routes": []any{
		map[string]any{"match": `\b(law|contract)`, "model": "large", "prompt": "Cite the clause."},
		map[string]any{"match": "weather", "prompt": "Use Celsius."},
	}}})
	require.Equal(t, "large: Be brief.\n\nCite the clause.", say(router, "Is this Contract valid?"))
	require.Equal(t, "small: Be brief.\n\nUse Celsius.", say(router, "the weather?"))
	require.Equal(t, "small: Be brief.", say(router, "hi"))
}
