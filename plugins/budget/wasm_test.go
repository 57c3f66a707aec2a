package budget_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/plugins/internal/plugintest"
)

// billed is a model that notes the system prompts of its requests, and reports another name than it is asked by.
type billed struct {
	*scripted.Turns

	reports string
	systems []string
}

func (m *billed) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	m.systems = append(m.systems, req.System.Text())
	resp, err := m.Turns.Generate(ctx, req)
	if err == nil {
		resp.Model = m.reports
	}
	return resp, err
}

// setup makes an agent with the plugin, a tool look, and other middleware outside of the plugin.
func setup(t *testing.T, config map[string]any, m model.Model, outer ...host.Middleware) *host.Agent {
	t.Helper()
	look := tool.Func("look", "Looks.", func(context.Context, struct{}) (string, error) { return "seen", nil })
	agent, err := host.New(host.Config{
		Model: m, Tools: []host.Tool{look}, Checkpointer: memory.New(), SystemPrompt: abi.Text("Be brief."),
		Middleware: append(outer, plugin.Wasm{Path: "budget.wasm", Config: config, Engine: plugintest.Engine}),
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	return agent
}

// cost returns a turn with the usage that its model call has.
func cost(turn scripted.Turn, input, output uint64) scripted.Turn {
	turn.Message.Usage = &abi.Usage{InputTokens: input, OutputTokens: output, TotalTokens: input + output}
	return turn
}

var (
	look   = scripted.CallTools(abi.Call("call", "look", nil))
	done   = scripted.Say("done and dusted")
	thread = host.Input{Messages: []abi.Message{abi.Human("go")}, Thread: "t"}
)

// prices are 1 and 10 dollars per million tokens.
var prices = map[string]any{"scripted": map[string]any{"input": 1, "output": 10}}

func tokens(limit int) map[string]any { return map[string]any{"tokens": limit} }

func money(limit float64) map[string]any { return map[string]any{"money": limit} }

func TestWarnsAndEnds(t *testing.T) {
	t.Parallel()
	m := &billed{Turns: scripted.NewTurns(cost(look, 700, 50), cost(look, 20, 30), cost(look, 190, 10))}
	agent := setup(t, map[string]any{"run": tokens(1000)}, m)
	result, err := agent.Run(t.Context(), thread)
	require.NoError(t, err)
	require.Equal(t, host.Completed, result.Status)
	require.Equal(t, "Budget exceeded: run tokens (1000/1000)", result.Text())
	require.Equal(t, 3, m.Calls())
	warning := "Be brief.\n\n[budget: at least 80% of the tokens for this task is used. When all is used you are stopped without " +
		"another word. Make only the tool calls that you cannot do without, and answer soon.]"
	require.Equal(t, []string{"Be brief.", "Be brief.", warning}, m.systems)
	require.JSONEq(t, `{"budget_run_tokens": 1000, "budget_thread_tokens": 1000}`, result.State.Raw().JSON())
}

func TestMoneyOfTheThread(t *testing.T) {
	t.Parallel()
	m := scripted.NewTurns(cost(done, 1000, 15), cost(done, 1000, 15), cost(done, 1000, 15))
	agent := setup(t, map[string]any{"prices": prices, "thread": money(0.003), "currency": "EUR", "warn_at": 1}, m)
	for _, want := range []struct{ text, state string }{
		{"done and dusted", `{"budget_run_tokens": 1015, "budget_run_money": 1150, "budget_thread_tokens": 1015, "budget_thread_money": 1150}`},
		{"done and dusted", `{"budget_run_tokens": 1015, "budget_run_money": 1150, "budget_thread_tokens": 2030, "budget_thread_money": 2300}`},
		{"done and dusted", `{"budget_run_tokens": 1015, "budget_run_money": 1150, "budget_thread_tokens": 3045, "budget_thread_money": 3450}`},
		{
			"Budget exceeded: thread money (0.00345/0.003 EUR)",
			`{"budget_run_tokens": 0, "budget_run_money": 0, "budget_thread_tokens": 3045, "budget_thread_money": 3450}`,
		},
	} {
		result, err := agent.Run(t.Context(), thread)
		require.NoError(t, err)
		require.Equal(t, want.text, result.Text())
		require.JSONEq(t, want.state, result.State.Raw().JSON())
	}
}

func TestFails(t *testing.T) {
	t.Parallel()
	agent := setup(t, map[string]any{"run": tokens(10), "exit_behavior": "error"}, scripted.NewTurns(cost(look, 7, 7)))
	result, err := agent.Run(t.Context(), thread)
	var document *abi.Error
	require.ErrorAs(t, err, &document)
	require.Equal(t, "budget_exceeded", document.Type)
	require.Equal(t, "Budget exceeded: run tokens (14/10)", document.Message)
	require.JSONEq(t, `[{"scope": "run", "unit": "tokens", "used": 14, "limit": 10}]`, document.Data.JSON())
	require.NotErrorAs(t, err, new(*plugin.Error), "it is an ordinary error, and no fault")
	require.Equal(t, host.Failed, result.Status)
}

func TestPriceOfTheModelThatAnswered(t *testing.T) {
	t.Parallel()
	prices := map[string]any{
		"scripted":   map[string]any{"input": 1, "output": 1},
		"scripted-*": map[string]any{"input": 2, "output": 2},
	}
	for reports, micros := range map[string]uint64{"": 10, "scripted-2026-01-01": 20, "another": 10} {
		m := &billed{Turns: scripted.NewTurns(cost(done, 5, 5)), reports: reports}
		result, err := setup(t, map[string]any{"prices": prices, "run": money(1)}, m).Run(t.Context(), thread)
		require.NoError(t, err)
		spent, _ := result.State.Get("budget_run_money").AsUint()
		require.Equal(t, micros, spent, reports)
	}
}

func TestModelWithoutAPrice(t *testing.T) {
	t.Parallel()
	config := map[string]any{"prices": map[string]any{"gpt-*": map[string]any{"input": 1, "output": 1}}, "run": money(1)}
	result, err := setup(t, config, scripted.NewTurns(cost(done, 5, 5))).Run(t.Context(), thread)
	require.NoError(t, err)
	require.JSONEq(t, `{"budget_run_tokens": 10, "budget_run_money": 0, "budget_thread_tokens": 10, "budget_thread_money": 0}`,
		result.State.Raw().JSON())
	config["unknown_model"] = "error"
	m := scripted.NewTurns(cost(done, 5, 5))
	_, err = setup(t, config, m).Run(t.Context(), thread)
	var document *abi.Error
	require.ErrorAs(t, err, &document)
	require.Equal(t, "unknown_model", document.Type)
	require.Zero(t, m.Calls(), "it would cost something")
}

// A run that fails and goes on has counted each answer once.
func TestGoesOnAfterAFailure(t *testing.T) {
	t.Parallel()
	m := scripted.NewTurns(cost(look, 10, 1), scripted.Fail(errors.New("overloaded")), cost(look, 20, 2), cost(done, 30, 3))
	agent := setup(t, map[string]any{"run": tokens(1000)}, m)
	_, err := agent.Run(t.Context(), thread)
	require.ErrorContains(t, err, "overloaded")
	result, err := agent.Run(t.Context(), host.Input{Thread: "t", Continue: true})
	require.NoError(t, err)
	require.Equal(t, 4, m.Calls())
	require.JSONEq(t, `{"budget_run_tokens": 66, "budget_thread_tokens": 66}`, result.State.Raw().JSON())
	require.EqualValues(t, 66, result.Usage.TotalTokens)
}

// Each run has its own budget, and what the caller brings along was not spent here.
func TestWhatTheCallerBringsAlongIsNotCounted(t *testing.T) {
	t.Parallel()
	m := scripted.NewTurns(cost(done, 10, 1), cost(done, 10, 1))
	agent := setup(t, map[string]any{"run": tokens(12)}, m)
	for range 2 {
		result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{
			abi.Human("hi"), cost(done, 500, 500).Message, abi.Human("go"),
		}})
		require.NoError(t, err)
		require.Equal(t, "done and dusted", result.Text())
		require.JSONEq(t, `{"budget_run_tokens": 11, "budget_thread_tokens": 11}`, result.State.Raw().JSON())
	}
}

func TestTokensStreamPast(t *testing.T) {
	t.Parallel()
	agent := setup(t, map[string]any{"run": tokens(1000), "warn_at": 0}, scripted.NewTurns(cost(done, 10, 1)))
	var words []string
	result, err := agent.RunEvents(t.Context(), thread, func(event host.Event) error {
		if event.Type == host.EventToken {
			words = append(words, event.Text)
		}
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, []string{"done ", "and ", "dusted"}, words)
	require.JSONEq(t, `{"budget_run_tokens": 11, "budget_thread_tokens": 11}`, result.State.Raw().JSON())
}

// Of several answers to one step the last counts: what a middleware outside drops leaves no trace in the state.
func TestDroppedAnswersAreNotCounted(t *testing.T) {
	t.Parallel()
	twice := host.WrapModelCall("twice", func(
		ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
	) (*model.Response, *host.Update, error) {
		if _, err := next(ctx, req); err != nil {
			return nil, nil, err
		}
		resp, err := next(ctx, req)
		return resp, nil, err
	})
	m := scripted.NewTurns(cost(done, 10, 1), cost(done, 20, 2))
	result, err := setup(t, map[string]any{"run": tokens(1000)}, m, twice).Run(t.Context(), thread)
	require.NoError(t, err)
	require.JSONEq(t, `{"budget_run_tokens": 22, "budget_thread_tokens": 22}`, result.State.Raw().JSON())
	require.EqualValues(t, 33, result.Usage.TotalTokens)
}

func TestConfigurationErrors(t *testing.T) {
	t.Parallel()
	for says, config := range map[string]map[string]any{
		"there is no budget": {"prices": prices},
		"run.money needs":    {"run": money(1)},
		"money":              {"prices": prices, "run": money(-1)},
		"tokens":             {"run": map[string]any{"tokens": 1.5}},
		"warn_at":            {"run": tokens(1), "warn_at": 80},
		"exit_behavior":      {"run": tokens(1), "exit_behavior": "continue"},
		"unknown_model":      {"run": tokens(1), "unknown_model": "price"},
		"output":             {"prices": map[string]any{"m": map[string]any{"input": 1}}, "run": money(1)},
		"cached":             {"prices": map[string]any{"m": map[string]any{"input": 1, "output": 1, "cached": 1}}, "run": money(1)},
	} {
		_, err := host.New(host.Config{
			Model:      scripted.NewTurns(),
			Middleware: []host.Middleware{plugin.Wasm{Path: "budget.wasm", Config: config, Engine: plugintest.Engine}},
		})
		require.ErrorContains(t, err, `middleware "budget": `)
		require.ErrorContains(t, err, says)
	}
}
