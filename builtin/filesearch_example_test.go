package builtin_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
)

func ExampleFileSearch() {
	dir, err := os.MkdirTemp("", "agenthost-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := os.WriteFile(filepath.Join(dir, "main.py"), []byte("import os\nprint(os.name)\n"), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	agent, err := host.New(host.Config{
		Model: scripted.NewTurns(
			scripted.CallTools(abi.Call("1", "grep_search", map[string]any{"pattern": `os\.\w+`, "output_mode": "content"})),
			scripted.Say("It prints the name of the system."),
		),
		Middleware: []host.Middleware{builtin.FileSearch{RootPath: dir}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = agent.Close() }()
	result, err := agent.Run(context.Background(), host.Input{Messages: []abi.Message{abi.Human("What does it do?")}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Messages.At(2).Content.Text())
	// Output: /main.py:2:print(os.name)
}
