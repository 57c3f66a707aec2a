package builtin_test

import (
	"context"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
)

// A small model chooses the model of each run.
func ExampleModelRouter() {
	agent, err := host.New(host.Config{
		Model: scripted.NewTurns(),
		Models: map[string]model.Model{
			"judge": scripted.NewTurns(scripted.Say(`{"model_route": {"probabilities": {"fast": 0.9, "strong": 0.1}}}`)),
			"small": scripted.NewTurns(scripted.Say("Hello.")),
			"large": scripted.NewTurns(),
		},
		Middleware: []host.Middleware{builtin.ModelRouter{
			Classifier: "judge", Instructions: "Choose the cheapest model that can do what the user asks.",
			Choices: map[string]builtin.ModelChoice{
				"fast": {Model: "small", Criteria: "Small talk."}, "strong": {Model: "large", Criteria: "Code and proofs."},
			},
		}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	result, err := agent.Run(context.Background(), host.Input{Messages: []abi.Message{abi.Human("Hi.")}})
	fmt.Println(result.Text(), result.State.Get("model_route").Get("choice").JSON(), err)
	// Output: Hello. "fast" <nil>
}

// A small model judges the calls of a tool before they run.
func ExampleAutoMode() {
	remove := tool.Func("delete", "Deletes a file.", func(context.Context, struct{ Path string }) (string, error) { return "deleted", nil })
	agent, err := host.New(host.Config{
		Model:      scripted.NewTurns(scripted.CallTools(abi.Call("1", "delete", map[string]any{"Path": "/etc/passwd"})), scripted.Say("I may not.")),
		Models:     map[string]model.Model{"judge": scripted.NewTurns(scripted.Say(`{"is_risky": {"probability": 0.97}}`))},
		Tools:      []host.Tool{remove},
		Middleware: []host.Middleware{builtin.AutoMode{Tools: []string{"delete"}, Classifier: "judge"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	result, err := agent.Run(context.Background(), host.Input{Messages: []abi.Message{abi.Human("Tidy up.")}})
	blocked := result.Messages.At(2)
	fmt.Println(blocked.Content.Text())
	fmt.Println(result.Text(), err)
	// Output:
	// The tool call `delete` was blocked because it was classified as risky (probability: 0.97). The tool was not executed.
	// I may not. <nil>
}

// When a model refuses, another one is asked.
func ExampleModelRefusal() {
	refusal := abi.Message{Content: abi.Blocks(abi.RefusalBlock("I can't help with that.", ""))}
	agent, err := host.New(host.Config{
		Model:      scripted.NewTurns(scripted.Turn{Message: refusal}),
		Models:     map[string]model.Model{"other": scripted.NewTurns(scripted.Say("Gladly."))},
		Middleware: []host.Middleware{builtin.ModelFallback{Models: []string{"other"}}, builtin.ModelRefusal{}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	result, err := agent.Run(context.Background(), host.Input{Messages: []abi.Message{abi.Human("Tell me a story.")}})
	fmt.Println(result.Text(), err)
	// Output: Gladly. <nil>
}
