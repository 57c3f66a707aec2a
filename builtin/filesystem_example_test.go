package builtin_test

import (
	"context"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// An agent keeps files in its state, where its caller gives and finds them.
func ExampleFilesystem() {
	agent, err := host.New(host.Config{
		Model: scripted.NewTurns(
			scripted.CallTools(abi.Call("1", "edit_file", map[string]any{
				"file_path": "/plan.txt", "old_string": "- buy milk", "new_string": "- buy oat milk",
			})),
			scripted.CallTools(abi.Call("2", "read_file", map[string]any{"file_path": "/plan.txt"})),
			scripted.Say("I have changed the plan."),
		),
		Middleware: []host.Middleware{builtin.Filesystem{
			Permissions: []builtin.FilePermission{{Operations: []string{"write"}, Paths: []string{"/archive/**"}, Mode: "deny"}},
		}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = agent.Close() }()
	result, err := agent.Run(context.Background(), host.Input{
		Messages: []abi.Message{abi.Human("I prefer oat milk")},
		State: map[string]any{"files": map[string]any{
			"/plan.txt": map[string]any{"content": "Today:\n- buy milk\n"},
		}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range result.Messages.All() {
		if m.Role == abi.RoleTool {
			fmt.Println(m.Content.Text())
		}
	}
	var files map[string]struct {
		Content string `msgpack:"content"`
	}
	if err := host.Decode(result.State.Get("files"), &files); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%q\n", files["/plan.txt"].Content)
	// Output:
	// Successfully replaced 1 instance(s) of the string in '/plan.txt'
	// @@ lines 1-2 of 2 @@
	// Today:
	// - buy oat milk
	// "Today:\n- buy oat milk\n"
}
