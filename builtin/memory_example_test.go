package builtin_test

import (
	"context"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// What the caller has put into the files of the state is told to the model.
func ExampleMemory() {
	agent, err := host.New(host.Config{
		Model:      &scripted.Echo{},
		Middleware: []host.Middleware{builtin.Memory{Sources: []string{"/AGENTS.md"}, SystemPrompt: new("<agent_memory>\n{agent_memory}\n</agent_memory>")}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	result, err := agent.Run(context.Background(), host.Input{
		Messages: []abi.Message{abi.Human("Hello.")},
		State:    map[string]any{"files": map[string]any{"/AGENTS.md": map[string]any{"content": "The user is called Ann. <!-- from the CRM -->"}}},
	})
	fmt.Println(result.Text())
	fmt.Println(err)
	// Output:
	// <agent_memory>
	// /AGENTS.md
	//
	// The user is called Ann.
	// </agent_memory>-Hello.
	// <nil>
}
