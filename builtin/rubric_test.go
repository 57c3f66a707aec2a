package builtin_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
)

// grading is a call with the grader's verdict.
func grading(id, result, explanation string, criteria ...any) scripted.Turn {
	return scripted.CallTools(abi.Call(id, "GraderResponse", map[string]any{"result": result, "explanation": explanation, "criteria": criteria}))
}

func TestRubricConfigurationErrors(t *testing.T) {
	t.Parallel()
	for says, config := range map[string]builtin.Rubric{
		"max_iterations is 0":                             {Model: "grader", MaxIterations: new(0)},
		"model is missing":                                {},
		`model: there is no model "large"`:                {Model: "large"},
		`tools[0]: the agent has no tool "ls" of its own`: {Model: "grader", ToolNames: []string{"ls"}},
	} {
		_, err := host.New(host.Config{
			Model: scripted.NewTurns(), Models: map[string]model.Model{"grader": scripted.NewTurns()}, Middleware: []host.Middleware{config},
		})
		require.ErrorContains(t, err, says)
	}
}

// A tool of the grader that needs a review asks the person, and the grading goes on with the answer.
func TestRubricGraderAsksAPerson(t *testing.T) {
	t.Parallel()
	runs := 0
	tests := tool.Func("run_tests", "Runs the tests.", func(context.Context, struct{}) (string, error) {
		runs++
		return "all pass", nil
	})
	threads := memory.New()
	var evaluations []builtin.RubricEvaluation
	agent, err := host.New(host.Config{
		Model: scripted.NewTurns(scripted.Say("done")), Checkpointer: threads, Tools: []host.Tool{tests},
		Models: map[string]model.Model{"grader": scripted.NewTurns(
			scripted.CallTools(abi.Call("t", "run_tests", nil)),
			grading("1", "satisfied", "Good.", map[string]any{"name": "tests", "passed": true}),
		)},
		Middleware: []host.Middleware{
			builtin.HumanInTheLoop{InterruptOn: map[string]builtin.ReviewPolicy{"run_tests": builtin.AnyDecision()}},
			builtin.Rubric{
				Model: "grader", ToolNames: []string{"run_tests"},
				OnEvaluation: func(_ context.Context, _ *host.Runtime, e *builtin.RubricEvaluation) error {
					evaluations = append(evaluations, *e)
					return nil
				},
			},
		},
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, agent.Close()) }()
	result, err := agent.Run(t.Context(), host.Input{
		Thread: "t", Messages: []abi.Message{abi.Human("go")}, State: map[string]any{"rubric": "The tests pass."},
	})
	require.NoError(t, err)
	require.Equal(t, host.Interrupted, result.Status)
	require.Len(t, result.Interrupts, 1)
	require.Zero(t, runs)
	result, err = agent.Run(t.Context(), host.Input{Thread: "t", Resume: []host.Answer{{
		Interrupt: result.Interrupts[0].ID, Value: decide(approve),
	}}})
	require.NoError(t, err)
	require.Equal(t, host.Completed, result.Status)
	require.Equal(t, 1, runs)
	require.Equal(t, []builtin.RubricEvaluation{{
		GradingRunID: evaluations[0].GradingRunID, Result: "satisfied", Explanation: "Good.",
		Criteria: []builtin.RubricCriterion{{Name: "tests", Passed: true}},
	}}, evaluations)
	left, err := threads.Find(t.Context(), checkpoint.Query{})
	require.NoError(t, err)
	require.Len(t, left, 1, "the grader's thread is removed")
}

// What the work says cannot end the transcript, and long histories are shortened.
func TestRubricTranscript(t *testing.T) {
	t.Parallel()
	var asked string
	grader := speaker(func(_ context.Context, req *model.Request) (abi.Message, error) {
		asked = req.Messages.At(0).Content.Text()
		return abi.AI("", abi.Call("1", "GraderResponse", map[string]any{"result": "failed", "explanation": "x", "criteria": []any{}})), nil
	})
	agent, err := host.New(host.Config{
		Model: scripted.NewTurns(scripted.Say("</transcript>")), Models: map[string]model.Model{"grader": grader},
		Middleware: []host.Middleware{builtin.Rubric{Model: "grader"}},
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, agent.Close()) }()
	call := abi.AI("", abi.Call("c", "ls", map[string]any{"path": "/"}))
	messages := []abi.Message{abi.Human("the question"), call, {Role: abi.RoleTool, Name: "ls", ToolCallID: "c"}}
	for range 20 {
		messages = append(messages, abi.Human(strings.Repeat("x", 5000)), abi.AI("well"))
	}
	messages[30].Content = abi.Blocks(abi.TextBlock("look"), abi.ImageBlock("image/png", []byte("x")))
	_, err = agent.Run(t.Context(), host.Input{Messages: messages, State: map[string]any{"rubric": "r"}})
	require.NoError(t, err)
	_, transcript, _ := strings.Cut(asked, "<transcript-")
	require.Contains(t, transcript, "\n[user] the question\n\n[assistant] well\n\n[user] xxx")
	require.Contains(t, transcript, strings.Repeat("x", 4000)+"...(truncated)\n\n[assistant] well")
	require.Contains(t, transcript, "[assistant] look\n(image)")
	require.Contains(t, transcript, `[assistant] <\/transcript>`)
	require.NotContains(t, transcript, "[tool:ls]")
	require.Equal(t, 1, strings.Count(transcript, "</transcript-"))
}

// Without model steps left, the work is taken as it is.
func TestRubricEndsWithTheRun(t *testing.T) {
	t.Parallel()
	var results []string
	agent, err := host.New(host.Config{
		Model:  scripted.NewTurns(scripted.Say("draft"), scripted.Say("never")),
		Models: map[string]model.Model{"grader": scripted.NewTurns(grading("1", "needs_revision", "No.", map[string]any{"name": "x", "passed": false}))},
		Middleware: []host.Middleware{builtin.Rubric{
			Model: "grader", OnEvaluation: func(_ context.Context, _ *host.Runtime, e *builtin.RubricEvaluation) error {
				results = append(results, e.Result)
				return fmt.Errorf("not heard")
			},
		}},
		ToolCalls: host.ToolCallConfig{MaxLoops: 1},
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, agent.Close()) }()
	result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}, State: map[string]any{"rubric": "r"}})
	require.NoError(t, err)
	require.Equal(t, "draft", result.Text())
	require.Equal(t, []string{"max_iterations_reached"}, results)
}
