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

// A search that needs several steps leaves one message behind.
func ExampleSubagents() {
	search := tool.Func("search", "Searches the archive.", func(context.Context, struct{}) (string, error) {
		return "page 1 of 200", nil
	})
	agent, err := host.New(host.Config{
		Model: scripted.NewTurns(
			scripted.CallTools(abi.Call("1", "task", map[string]any{"subagent_type": "researcher", "description": "How deep is the lake?"})),
			scripted.Say("The lake is 40 m deep."),
		),
		Models: map[string]model.Model{"small": scripted.NewTurns(
			scripted.CallTools(abi.Call("a", "search", nil)), scripted.CallTools(abi.Call("b", "search", nil)), scripted.Say("40 m."),
		)},
		Middleware: []host.Middleware{builtin.Subagents{Agents: []builtin.Subagent{{
			Name: "researcher", Description: "Finds things out.", SystemPrompt: "Search until you know.", Model: "small",
			Tools: []host.Tool{search}, Middleware: []host.Middleware{builtin.ModelCallLimit{RunLimit: new(10)}},
		}}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	result, err := agent.Run(context.Background(), host.Input{Messages: []abi.Message{abi.Human("How deep is the lake?")}})
	for _, m := range result.Messages.All() {
		fmt.Printf("%s: %q\n", m.Role, m.Content.Text())
	}
	fmt.Println(err)
	// Output:
	// human: "How deep is the lake?"
	// ai: ""
	// tool: "40 m."
	// ai: "The lake is 40 m deep."
	// <nil>
}
