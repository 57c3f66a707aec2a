package builtin_test

import (
	"context"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// The grader wants a source, and the second answer has one.
func ExampleRubric() {
	agent, err := host.New(host.Config{
		Model: scripted.NewTurns(scripted.Say("It is 1889."), scripted.Say("It is 1889 (toureiffel.paris).")),
		Models: map[string]model.Model{"grader": scripted.NewTurns(
			grading("1", "needs_revision", "Almost.", map[string]any{"name": "names a source", "passed": false, "gap": "there is none"}),
			grading("2", "satisfied", "Good.", map[string]any{"name": "names a source", "passed": true}),
		)},
		Middleware: []host.Middleware{builtin.Rubric{Model: "grader"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	result, err := agent.Run(context.Background(), host.Input{
		Messages: []abi.Message{abi.Human("When was the Eiffel tower finished?")},
		State:    map[string]any{"rubric": "Every fact has its source."},
	})
	fmt.Println(result.Text(), err)
	// Output: It is 1889 (toureiffel.paris). <nil>
}
