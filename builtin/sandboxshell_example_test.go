//go:build linux

package builtin_test

import (
	"context"
	"fmt"
	"os"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// The model's files are where its commands run. Here this is a directory of the machine; {type: command} enters a container.
func ExampleShellSandbox() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	policy := builtin.ShellPolicy{Type: "host"}
	agent, err := host.New(host.Config{
		Model: scripted.NewTurns(
			scripted.CallTools(abi.Call("1", "write_file", map[string]any{"file_path": "/names.txt", "content": "grace\nada\n"})),
			scripted.CallTools(abi.Call("2", "shell", map[string]any{"command": "sort names.txt"})),
			scripted.Say("Sorted."),
		),
		Middleware: []host.Middleware{
			builtin.Filesystem{Backend: builtin.FileBackend{Backend: builtin.ShellSandbox{RootDir: dir, ExecutionPolicy: policy}}},
			builtin.Shell{WorkspaceRoot: dir, ExecutionPolicy: policy, ShellCommand: builtin.ShellCommands{"/bin/sh"}},
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = agent.Close() }()
	result, err := agent.Run(context.Background(), host.Input{Messages: []abi.Message{abi.Human("Sort the names.")}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(result.Messages.At(4).Content.Text())
	// Output:
	// ada
	// grace
}
