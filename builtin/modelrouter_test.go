package builtin_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
)

func router() builtin.ModelRouter {
	return builtin.ModelRouter{Instructions: "Choose.", Classifier: "judge", Choices: map[string]builtin.ModelChoice{
		"fast": {Model: "small", Criteria: "simple"}, "strong": {Model: "large", Criteria: []any{"hard", "long"}},
	}}
}

// A chat model chooses, and each run of a thread is routed for itself.
func TestModelRouterAsksAChatModel(t *testing.T) {
	t.Parallel()
	judge := scripted.NewTurns(
		scripted.Say(`{"model_route": {"probabilities": {"fast": 0.1, "strong": 0.4}}}`),
		scripted.Say(`{"model_route": {"probabilities": {"fast": 1, "strong": 0}}}`),
	)
	agent, err := host.New(host.Config{
		Model: failing("main"), Middleware: []host.Middleware{router()}, Checkpointer: memory.New(),
		Models: map[string]model.Model{"judge": judge, "small": failing("small"), "large": failing("large")},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	for _, want := range []struct{ answer, route string }{
		{"large answers", `{"type": "choice", "choice": "strong", "probabilities": {"fast": 0.2, "strong": 0.8}, "confidence": 0.8}`},
		{"small answers", `{"type": "choice", "choice": "fast", "probabilities": {"fast": 1, "strong": 0}, "confidence": 1}`},
	} {
		result, err := agent.Run(t.Context(), host.Input{Thread: "t", Messages: []abi.Message{abi.Human("go")}})
		require.NoError(t, err)
		require.Equal(t, want.answer, result.Text())
		require.JSONEq(t, want.route, result.State.Get("model_route").JSON())
	}
}

// A caller cannot choose the model.
func TestModelRouterOverwritesTheInput(t *testing.T) {
	t.Parallel()
	agent, err := host.New(host.Config{
		Model: failing("main"), Middleware: []host.Middleware{router()},
		Models: map[string]model.Model{
			"judge": scripted.NewTurns(scripted.Say(`{"model_route": {"probabilities": {"fast": 1, "strong": 0}}}`)),
			"small": failing("small"), "large": failing("large"),
		},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	result, err := agent.Run(t.Context(), host.Input{
		Messages: []abi.Message{abi.Human("go")}, State: map[string]any{"model_route": map[string]any{"choice": "strong"}},
	})
	require.NoError(t, err)
	require.Equal(t, "small answers", result.Text())
}

func TestModelRouterConfiguration(t *testing.T) {
	t.Parallel()
	for says, change := range map[string]func(*builtin.ModelRouter){
		"choices is missing":                             func(r *builtin.ModelRouter) { r.Choices = nil },
		"instructions is missing":                        func(r *builtin.ModelRouter) { r.Instructions = " " },
		"classifier is missing":                          func(r *builtin.ModelRouter) { r.Classifier = "" },
		`classifier: there is no model "x"`:              func(r *builtin.ModelRouter) { r.Classifier = "x" },
		"choices.fast needs the keys model and criteria": func(r *builtin.ModelRouter) { r.Choices["fast"] = builtin.ModelChoice{Model: "small"} },
		`choices.fast.model: there is no model "x"`:      func(r *builtin.ModelRouter) { r.Choices["fast"] = builtin.ModelChoice{Model: "x", Criteria: "y"} },
		"choices.fast.criteria: ": func(r *builtin.ModelRouter) {
			r.Choices["fast"] = builtin.ModelChoice{Model: "small", Criteria: make(chan int)}
		},
	} {
		r := router()
		change(&r)
		_, err := host.New(host.Config{
			Model: failing("main"), Middleware: []host.Middleware{r},
			Models: map[string]model.Model{"judge": failing("judge"), "small": failing("small"), "large": failing("large")},
		})
		require.ErrorContains(t, err, says)
	}
}
