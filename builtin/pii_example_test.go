package builtin_test

import (
	"context"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// The model never sees the address, and the user never sees the key.
func ExamplePII() {
	agent, err := host.New(host.Config{
		Model: &scripted.Echo{},
		Middleware: []host.Middleware{
			builtin.PII{PIIType: "email", Strategy: "mask"},
			builtin.PII{PIIType: "api_key", Detector: `sk-[a-z0-9]{6,}`, ApplyToInput: new(false), ApplyToOutput: true},
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	result, err := agent.Run(context.Background(), host.Input{Messages: []abi.Message{abi.Human("I am ann@example.com with sk-abc123")}})
	for _, m := range result.Messages.All() {
		fmt.Printf("%s: %s\n", m.Role, m.Content.Text())
	}
	fmt.Println(err)
	// Output:
	// human: I am ann@****.com with sk-abc123
	// ai: I am ann@****.com with [REDACTED_API_KEY]
	// <nil>
}
