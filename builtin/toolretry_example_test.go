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

// A search fails three times, and the model is told so.
func ExampleToolRetry() {
	attempts := 0
	search := tool.Func("search", "", func(context.Context, struct{}) (string, error) {
		attempts++
		return "", errors.New("the index is down")
	})
	agent, err := host.New(host.Config{
		Model:      scripted.NewTurns(scripted.CallTools(abi.Call("1", "search", nil)), scripted.Say("I cannot search now.")),
		Tools:      []host.Tool{search},
		Middleware: []host.Middleware{builtin.ToolRetry{Retry: builtin.Retry{InitialDelay: new(builtin.Seconds(0.001))}, Tools: []string{"search"}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	result, err := agent.Run(context.Background(), host.Input{Messages: []abi.Message{abi.Human("Who is Ann?")}})
	for _, m := range result.Messages.All() {
		fmt.Printf("%s: %q\n", m.Role, m.Content.Text())
	}
	fmt.Println(attempts, err)
	// Output:
	// human: "Who is Ann?"
	// ai: ""
	// tool: "Tool 'search' failed after 3 attempts with tool_error: the index is down. Please try again."
	// ai: "I cannot search now."
	// 3 <nil>
}
