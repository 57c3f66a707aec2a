package builtin_test

import (
	"context"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// What stands inside sees the setting that the provider's adapter turns into marks.
func ExampleAnthropicPromptCaching() {
	show := host.WrapModelCall("show", func(
		ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
	) (*model.Response, *host.Update, error) {
		fmt.Println(req.Settings.Raw().JSON())
		resp, err := next(ctx, req)
		return resp, nil, err
	})
	agent, err := host.New(host.Config{
		Model:      &scripted.Turns{Name: "claude", Provider: "anthropic", Script: []scripted.Turn{scripted.Say("Hello.")}},
		Middleware: []host.Middleware{builtin.AnthropicPromptCaching{TTL: "1h"}, show},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	result, err := agent.Run(context.Background(), host.Input{Messages: []abi.Message{abi.Human("Hi.")}})
	fmt.Println(result.Text(), err)
	// Output:
	// {"cache_control":{"ttl":"1h","type":"ephemeral"}}
	// Hello. <nil>
}
