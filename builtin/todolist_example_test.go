package builtin_test

import (
	"context"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
)

func ExampleTodoList() {
	step := func(content, status string) any { return map[string]any{"content": content, "status": status} }
	agent, err := host.New(host.Config{
		Model: scripted.NewTurns(
			scripted.CallTools(abi.Call("1", "write_todos", map[string]any{"todos": []any{
				step("Find a hotel", "completed"), step("Book it", "in_progress"),
			}})),
			scripted.Say("Which of the two hotels shall I book?"),
		),
		Middleware: []host.Middleware{builtin.TodoList{}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	result, err := agent.Run(context.Background(), host.Input{Messages: []abi.Message{abi.Human("Book a hotel.")}})
	if err != nil {
		fmt.Println(err)
		return
	}
	var todos []builtin.Todo
	if err := host.Decode(result.State.Get("todos"), &todos); err != nil {
		fmt.Println(err)
		return
	}
	for _, todo := range todos {
		fmt.Println(todo.Status, todo.Content)
	}
	fmt.Println(result.Text())
	// Output:
	// completed Find a hotel
	// in_progress Book it
	// Which of the two hotels shall I book?
}
