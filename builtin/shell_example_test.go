//go:build linux || darwin

package builtin_test

import (
	"context"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// A model works in a shell: what one command leaves, the next one finds.
func ExampleShell() {
	agent, err := host.New(host.Config{
		Model: scripted.NewTurns(
			scripted.CallTools(abi.Call("1", "shell", map[string]any{"command": "mkdir notes && cd notes && echo tea >list"})),
			scripted.CallTools(abi.Call("2", "shell", map[string]any{"command": "cat list && false"})),
			scripted.Say("You want tea."),
		),
		Middleware: []host.Middleware{builtin.Shell{
			ExecutionPolicy: builtin.ShellPolicy{Type: "host", CommandTimeout: 10, MaxOutputLines: new(50)},
			ShellCommand:    builtin.ShellCommands{"/bin/sh"},
			Env:             builtin.ShellEnv{"LC_ALL": "C"},
		}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	result, err := agent.Run(context.Background(), host.Input{Messages: []abi.Message{abi.Human("What do I want?")}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range result.Messages.All() {
		if m.Role == abi.RoleTool {
			fmt.Printf("%s: %q\n", m.Status, m.Content.Text())
		}
	}
	fmt.Println(result.Text())
	// Output:
	// success: "<no output>"
	// error: "tea\n\nExit code: 1"
	// You want tea.
}
