//go:build linux || darwin

package builtin_test

import (
	"context"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/backend"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/store/memory"
)

// claudeExample prints the answers to a model's calls of one tool. A program has a model of Anthropic in place of the script.
func claudeExample(middleware host.Middleware, name string, calls ...map[string]any) {
	turns := make([]scripted.Turn, 0, len(calls))
	for _, call := range calls {
		turns = append(turns, scripted.CallTools(abi.Call("1", name, call)))
	}
	agent, err := host.New(host.Config{
		Model: &scripted.Turns{Script: turns, AfterEnd: scripted.EndEmpty, Provider: "anthropic"}, Middleware: []host.Middleware{middleware},
		Store: memory.New(),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = agent.Close() }()
	result, err := agent.Run(context.Background(), host.Input{Messages: []abi.Message{abi.Human("go")}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range result.Messages.All() {
		if m.Role == abi.RoleTool {
			fmt.Println(m.Content.Text())
		}
	}
}

// A model of Anthropic gets its own form of a shell.
func ExampleClaudeBash() {
	claudeExample(builtin.ClaudeBash{ExecutionPolicy: builtin.ShellPolicy{Type: "host"}}, "bash", map[string]any{"command": "echo hello"})
	// Output: hello
}

// A model of Anthropic edits files with its own form of an editor, here in the state of the thread.
func ExampleClaudeTextEditor() {
	claudeExample(builtin.ClaudeTextEditor{}, "str_replace_based_edit_tool",
		map[string]any{"command": "create", "path": "/plan.md", "file_text": "buy milk\n"},
		map[string]any{"command": "str_replace", "path": "/plan.md", "old_str": "milk", "new_str": "oat milk"},
		map[string]any{"command": "view", "path": "/plan.md"},
	)
	// Output:
	// File created: /plan.md
	// String replaced in /plan.md
	// 1|buy oat milk
}

// A model of Anthropic keeps a memory, here in the agent's store, so that every thread has it.
func ExampleClaudeMemory() {
	files := builtin.FileBackend{Backend: backend.Store{Namespace: backend.Namespace("users", "ada")}}
	claudeExample(builtin.ClaudeMemory{Backend: files}, "memory",
		map[string]any{"command": "create", "path": "/memories/diet.md", "file_text": "No nuts."},
		map[string]any{"command": "view", "path": "/memories"},
	)
	// Output:
	// File created: /memories/diet.md
	// /memories/diet.md
}
