package builtin_test

import (
	"context"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// The model wants to stop too early.
func ExampleLoopControl() {
	todos := func(status string) map[string]any {
		return map[string]any{"todos": []any{map[string]any{"content": "Book the hotel", "status": status}}}
	}
	agent, err := host.New(host.Config{
		Model: scripted.NewTurns(
			scripted.CallTools(abi.Call("1", "write_todos", todos("pending"))),
			scripted.Say("I have a plan."),
			scripted.CallTools(abi.Call("2", "write_todos", todos("completed"))),
			scripted.Say("The hotel is booked."),
		),
		Middleware: []host.Middleware{
			builtin.TodoList{}, builtin.LoopControl{Reminder: "Not done yet:\n{open}"},
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	result, err := agent.Run(context.Background(), host.Input{Messages: []abi.Message{abi.Human("Book a hotel.")}})
	for _, m := range result.Messages.All() {
		if m.Role != abi.RoleTool && len(m.ToolCalls) == 0 {
			fmt.Printf("%s: %q\n", m.Role, m.Content.Text())
		}
	}
	fmt.Println(err)
	// Output:
	// human: "Book a hotel."
	// ai: "I have a plan."
	// human: "Not done yet:\n- Book the hotel (pending)"
	// ai: "The hotel is booked."
	// <nil>
}
