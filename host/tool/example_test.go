package tool_test

import (
	"context"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
)

// A tool of a Go function: the schema of its parameters follows from the struct.
func ExampleFunc() {
	type arguments struct {
		City string `json:"city"           jsonschema:"the name of the city"`
		Days int    `json:"days,omitempty" jsonschema:"how many days ahead"`
	}
	forecast := tool.Func("forecast", "Says how the weather will be.",
		func(_ context.Context, in arguments) (string, error) {
			return fmt.Sprintf("%s in %d days: sunny", in.City, in.Days), nil
		})
	fmt.Println(forecast.Spec().Parameters.JSON())

	agent, err := host.New(host.Config{
		Model: scripted.NewTurns(
			scripted.CallTools(abi.Call("1", "forecast", map[string]any{"city": "Oslo", "days": 2})),
			scripted.Say("It will be sunny."),
		),
		Tools: []host.Tool{forecast},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	result, err := agent.Run(context.Background(), host.Input{Messages: []abi.Message{abi.Human("How will it be in Oslo?")}})
	for _, m := range result.Messages.All() {
		fmt.Printf("%s: %q\n", m.Role, m.Content.Text())
	}
	fmt.Println(err)
	// Output:
	// {"additionalProperties":false,"properties":{"city":{"description":"the name of the city","type":"string"},"days":{"description":"how many days ahead","type":"integer"}},"required":["city"],"type":"object"}
	// human: "How will it be in Oslo?"
	// ai: ""
	// tool: "Oslo in 2 days: sunny"
	// ai: "It will be sunny."
	// <nil>
}

// A tool that also changes the state.
func ExampleFunc_update() {
	visits := host.NewField[int]("visits", host.Reduced(host.Add()))
	visit := tool.Func("visit", "Visits a place.", func(context.Context, struct{}) (*host.ToolOutput, error) {
		out := host.TextOutput("visited")
		out.Update = &host.Update{}
		return out, visits.Set(out.Update, 1)
	})
	agent, err := host.New(host.Config{
		Model: scripted.NewTurns(
			scripted.CallTools(abi.Call("1", "visit", nil), abi.Call("2", "visit", nil)),
			scripted.Say("done"),
		),
		Tools: []host.Tool{visit},
		State: []host.Field{visits.Field},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	result, err := agent.Run(context.Background(), host.Input{})
	fmt.Println(result.State.Raw().JSON(), err)
	// Output: {"visits":2} <nil>
}

// Tags say which values a parameter may have, and what it is where the model does not say. The function tells of its
// progress by events.
func ExampleFunc_tags() {
	type arguments struct {
		Target string `json:"target" enum:"staging,production" default:"staging"`
		Copies int    `json:"copies" min:"1" max:"3"`
	}
	deploy := tool.Func("deploy", "Deploys the program.", func(ctx context.Context, in arguments) (string, error) {
		for i := range in.Copies {
			host.RuntimeOf(ctx).Emit("progress", wire.String(fmt.Sprintf("copy %d of %d", i+1, in.Copies)))
		}
		return "deployed to " + in.Target, nil
	})
	agent, err := host.New(host.Config{
		Model: scripted.NewTurns(
			scripted.CallTools(abi.Call("1", "deploy", map[string]any{"copies": 2})),
			scripted.CallTools(abi.Call("2", "deploy", map[string]any{"copies": 2, "target": "test"})),
			scripted.Say("It is there."),
		),
		Tools: []host.Tool{deploy},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	for event, err := range agent.Stream(context.Background(), host.Input{}) {
		if err != nil {
			fmt.Println(err)
		}
		if event.Type == host.EventCustom {
			fmt.Println(event.Name, event.Data.JSON())
		}
		if event.Type == host.EventTool {
			for _, m := range event.Messages {
				fmt.Println(m.Content.Text())
			}
		}
	}
	// Output:
	// progress "copy 1 of 2"
	// progress "copy 2 of 2"
	// deployed to staging
	// Error invoking tool 'deploy' with kwargs {"copies":2,"target":"test"} with error:
	//  validating /properties/target: enum: test does not equal any of: [staging production]
	//  Please fix the error and try again.
}
