package builtin_test

import (
	"context"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
)

// The model reads the schema of send_mail only after its provider has found the tool.
func ExampleProviderToolSearch() {
	claude := &sighted{Model: scripted.NewTurns(scripted.Say("It rains.")), info: model.Info{Name: "claude", Provider: "anthropic"}}
	nothing := func(context.Context, struct{}) (string, error) { return "", nil }
	agent, err := host.New(host.Config{
		Model:      claude,
		Tools:      []host.Tool{tool.Func("weather", "Tells the weather.", nothing), tool.Func("send_mail", "Sends a mail.", nothing)},
		Middleware: []host.Middleware{&builtin.ProviderToolSearch{SearchableTools: []string{"send_mail"}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	result, err := agent.Run(context.Background(), host.Input{Messages: []abi.Message{abi.Human("Is it raining?")}})
	fmt.Println(result.Text(), err)
	for _, spec := range claude.last.Tools {
		fmt.Println(spec.Name, spec.Extras.Raw().JSON())
	}
	fmt.Println(claude.last.ProviderTools[0].Name)
	// Output:
	// It rains. <nil>
	// weather {}
	// send_mail {"defer_loading":true}
	// tool_search
}
