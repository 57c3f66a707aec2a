package builtin_test

import (
	"context"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
)

// Only the newest page stays in the thread.
func ExampleContextEditing() {
	type page struct {
		Number int `json:"number"`
	}
	turn := func(n int) scripted.Turn {
		return scripted.CallTools(abi.Call(fmt.Sprint(n), "read_page", map[string]any{"number": n}))
	}
	agent, err := host.New(host.Config{
		Model: scripted.NewTurns(turn(1), turn(2), turn(3), scripted.Say("I have read it.")),
		Tools: []host.Tool{tool.Func("read_page", "", func(_ context.Context, p page) (string, error) {
			return fmt.Sprintf("What stands on page %d, and it is long.", p.Number), nil
		})},
		Middleware: []host.Middleware{builtin.ContextEditing{
			Edits:   []builtin.ContextEdit{{Trigger: new(50), Keep: new(1), Placeholder: "[read, and cleared]"}},
			Persist: true,
		}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	result, err := agent.Run(context.Background(), host.Input{Messages: []abi.Message{abi.Human("Read the book.")}})
	for _, m := range result.Messages.All() {
		if m.Role == abi.RoleTool {
			fmt.Println(m.Content.Text())
		}
	}
	fmt.Println(result.Text(), err)
	// Output:
	// [read, and cleared]
	// [read, and cleared]
	// What stands on page 3, and it is long.
	// I have read it. <nil>
}
