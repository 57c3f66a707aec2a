package builtin_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
)

func ExampleModelCallLimit() {
	runLimit := 3
	agent, err := host.New(host.Config{
		Model: &scripted.Turns{
			Script: []scripted.Turn{scripted.CallTools(abi.Call("1", "search", nil))}, AfterEnd: scripted.EndRepeat,
		},
		Tools:      []host.Tool{tool.Func("search", "", func(context.Context, struct{}) (string, error) { return "nothing", nil })},
		Middleware: []host.Middleware{builtin.ModelCallLimit{RunLimit: &runLimit}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	result, err := agent.Run(context.Background(), host.Input{Messages: []abi.Message{abi.Human("Search for ever.")}})
	fmt.Println(result.Text(), err)
	// Output: Model call limits exceeded: run limit (3/3) <nil>
}

func ExampleToolCallLimit() {
	agent, err := host.New(host.Config{
		Model: scripted.NewTurns(
			scripted.CallTools(abi.Call("1", "search", nil), abi.Call("2", "search", nil)), scripted.Say("I found something."),
		),
		Tools:      []host.Tool{tool.Func("search", "", func(context.Context, struct{}) (string, error) { return "something", nil })},
		Middleware: []host.Middleware{builtin.ToolCallLimit{ToolName: "search", RunLimit: new(1)}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	result, err := agent.Run(context.Background(), host.Input{})
	for _, m := range result.Messages.All() {
		fmt.Printf("%s: %q\n", m.Role, m.Content.Text())
	}
	fmt.Println(err)
	// Output:
	// ai: ""
	// tool: "Tool call limit exceeded. Do not call 'search' again."
	// tool: "something"
	// ai: "I found something."
	// <nil>
}

func ExamplePatchToolCalls() {
	agent, err := host.New(host.Config{
		Model:      scripted.NewTurns(scripted.Say("Fine.")),
		Middleware: []host.Middleware{builtin.PatchToolCalls{Content: "{tool} was cancelled."}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	result, err := agent.Run(context.Background(), host.Input{Messages: []abi.Message{
		abi.Human("Write to Ann."), abi.AI("", abi.Call("1", "mail", nil)), abi.Human("Never mind."),
	}})
	for _, m := range result.Messages.All() {
		fmt.Printf("%s: %q\n", m.Role, m.Content.Text())
	}
	fmt.Println(err)
	// Output:
	// human: "Write to Ann."
	// ai: ""
	// tool: "mail was cancelled."
	// human: "Never mind."
	// ai: "Fine."
	// <nil>
}

func ExampleToolError() {
	agent, err := host.New(host.Config{
		Model: scripted.NewTurns(scripted.CallTools(abi.Call("1", "search", nil)), scripted.Say("I cannot search now.")),
		Tools: []host.Tool{tool.Func("search", "", func(context.Context, struct{}) (string, error) {
			return "", errors.New("no connection")
		})},
		Middleware: []host.Middleware{builtin.ToolError{OnError: builtin.ToolErrorAnswer{Format: "{tool} failed: {message}"}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	result, err := agent.Run(context.Background(), host.Input{})
	for _, m := range result.Messages.All() {
		fmt.Printf("%s: %q\n", m.Role, m.Content.Text())
	}
	fmt.Println(err)
	// Output:
	// ai: ""
	// tool: "search failed: no connection"
	// ai: "I cannot search now."
	// <nil>
}
