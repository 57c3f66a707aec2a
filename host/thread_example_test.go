package host_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
)

// buy makes a tool that asks before it buys.
func buy() host.Tool {
	type arguments struct {
		Item string `json:"item"`
	}
	return tool.Func("buy", "Buys something.", func(ctx context.Context, in arguments) (string, error) {
		answer, err := host.RuntimeOf(ctx).Interrupt("approve", wire.String("Shall I buy "+in.Item+"?"))
		if err != nil {
			return "", err // the run ends as interrupted
		}
		if yes, _ := answer.AsBool(); !yes {
			return "The user does not want " + in.Item + ".", nil
		}
		return "Bought " + in.Item + ".", nil
	})
}

// ExampleInput_thread goes on with a thread's history in its next run.
func ExampleInput_thread() {
	agent, err := host.New(host.Config{
		Model:        scripted.NewTurns(scripted.Say("Hello, Ada."), scripted.Say("You are Ada.")),
		Checkpointer: memory.New(),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	ctx := context.Background()
	for _, text := range []string{"I am Ada.", "Who am I?"} {
		result, err := agent.Run(ctx, host.Input{Thread: "ada", Messages: []abi.Message{abi.Human(text)}})
		fmt.Println(result.Text(), result.Messages.Len(), err)
	}
	// Output:
	// Hello, Ada. 2 <nil>
	// You are Ada. 4 <nil>
}

// ExampleInput_resume has a tool that asks, and answers it.
func ExampleInput_resume() {
	agent, err := host.New(host.Config{
		Model: scripted.NewTurns(
			scripted.CallTools(
				abi.Call("1", "buy", map[string]any{"item": "tea"}),
				abi.Call("2", "buy", map[string]any{"item": "a yacht"}),
			),
			scripted.Say("Done."),
		),
		Tools:        []host.Tool{buy()},
		Checkpointer: memory.New(),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	ctx := context.Background()

	result, err := agent.Run(ctx, host.Input{Thread: "shop", Messages: []abi.Message{abi.Human("Tea and a yacht, please.")}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Status, "before", result.Next)
	var answers []host.Answer
	for _, asked := range result.Interrupts {
		fmt.Println(asked.CallID, asked.Key, asked.Value.JSON())
		answers = append(answers, host.Answer{Interrupt: asked.ID, Value: asked.CallID == "1"})
	}

	result, err = agent.Run(ctx, host.Input{Thread: "shop", Resume: answers})
	fmt.Println(result.Status, err)
	for _, m := range result.Messages.All() {
		fmt.Printf("%s: %q\n", m.Role, m.Content.Text())
	}
	// Output:
	// interrupted before tools
	// 1 approve "Shall I buy tea?"
	// 2 approve "Shall I buy a yacht?"
	// completed <nil>
	// human: "Tea and a yacht, please."
	// ai: ""
	// tool: "Bought tea."
	// tool: "The user does not want a yacht."
	// ai: "Done."
}

// ExampleInput_continue stops before the tools, and goes on.
func ExampleInput_continue() {
	agent, err := host.New(host.Config{
		Model:           searchingOnce(),
		Tools:           []host.Tool{search()},
		Checkpointer:    memory.New(),
		InterruptBefore: []string{host.ToolsStep},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	ctx := context.Background()

	result, err := agent.Run(ctx, host.Input{Thread: "t", Messages: []abi.Message{abi.Human("What is Go?")}})
	for err == nil && result.Status == host.Interrupted {
		last, _ := result.Messages.Last()
		fmt.Println(result.Next, "would run", last.ToolCalls[0].Name, last.ToolCalls[0].Args.JSON())
		result, err = agent.Run(ctx, host.Input{Thread: "t", Continue: true})
	}
	fmt.Println(result.Text(), err)
	// Output:
	// tools would run search {"query":"go"}
	// A language. <nil>
}

// ExampleInput_failure goes on after a failure: the step that failed runs again.
func ExampleInput_failure() {
	agent, err := host.New(host.Config{
		Model:        scripted.NewTurns(scripted.Fail(errors.New("overloaded")), scripted.Say("A language.")),
		Checkpointer: memory.New(),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	ctx := context.Background()

	result, err := agent.Run(ctx, host.Input{Thread: "t", Messages: []abi.Message{abi.Human("What is Go?")}})
	fmt.Println(err)
	if err != nil && result.Next != "" {
		result, err = agent.Run(ctx, host.Input{Thread: "t", Continue: true})
	}
	fmt.Println(result.Text(), err)
	// Output:
	// model "scripted": overloaded
	// A language. <nil>
}

// ExampleInput_checkpoint looks at the checkpoints of a thread, and goes on from an older one with another answer.
func ExampleInput_checkpoint() {
	agent, err := host.New(host.Config{
		Model: scripted.NewTurns(
			scripted.CallTools(abi.Call("1", "buy", map[string]any{"item": "a yacht"})), scripted.Say("It is yours."), scripted.Say("Never mind."),
		),
		Tools:        []host.Tool{buy()},
		Checkpointer: memory.New(),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	ctx := context.Background()
	buying := func(in host.Input) {
		in.Thread = "shop"
		result, err := agent.Run(ctx, in)
		fmt.Println(result.Status, result.Text(), err)
	}
	buying(host.Input{Messages: []abi.Message{abi.Human("A yacht, please.")}})
	buying(host.Input{Resume: []host.Answer{{Value: true, By: "ada"}}})

	asked := checkpoint.ID(0)
	for record, err := range agent.History(ctx, "shop") {
		if err != nil {
			fmt.Println(err)
			return
		}
		if len(record.Checkpoint.Waiting()) > 0 {
			asked = record.ID
		}
	}
	then, err := agent.State(ctx, "shop", asked)
	fmt.Println(then.Messages.Len(), "messages before", then.Next, err)

	buying(host.Input{Checkpoint: asked, Resume: []host.Answer{{Value: false, By: "bob"}}})
	// Output:
	// interrupted  <nil>
	// completed It is yours. <nil>
	// 2 messages before tools <nil>
	// completed Never mind. <nil>
}
