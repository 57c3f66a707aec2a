package backend_test

import (
	"context"
	"fmt"
	"os"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/backend"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/store/memory"
)

// Files below /memories/ are in the agent's store, so another thread finds them. The others are in the state of the thread.
func ExampleComposite() {
	files := backend.Composite{
		Default: backend.State{},
		Routes:  map[string]backend.Backend{"/memories/": backend.Store{Namespace: backend.Namespace("users", "ada")}},
	}
	values := memory.New()
	for _, call := range []abi.ToolCall{
		abi.Call("1", "write_file", map[string]any{"file_path": "/memories/diet.md", "content": "No nuts."}),
		abi.Call("1", "read_file", map[string]any{"file_path": "/memories/diet.md"}),
	} {
		agent, err := host.New(host.Config{
			Model: &scripted.Turns{Script: []scripted.Turn{scripted.CallTools(call), scripted.Say("done")}}, Store: values,
			Middleware: []host.Middleware{builtin.Filesystem{Backend: builtin.FileBackend{Backend: files}}},
		})
		if err != nil {
			fmt.Println(err)
			return
		}
		result, err := agent.Run(context.Background(), host.Input{Messages: []abi.Message{abi.Human("go")}})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(result.Messages.At(2).Content.Text())
		_ = agent.Close()
	}
	// Output:
	// Updated file /memories/diet.md
	// @@ lines 1-1 of 1 @@
	// No nuts.
}

// Files of your own, here a directory, become a backend.
func ExampleOf() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	files, err := backend.OpenDirectory(dir, backend.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = files.Close() }()
	_ = backend.Composite{Default: backend.State{}, Routes: map[string]backend.Backend{"/mine/": backend.Of(files)}}
	fmt.Println(files.Write(context.Background(), "/a.txt", []byte("a")))
	// Output: <nil>
}
