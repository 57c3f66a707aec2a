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

// Models of one provider get one more sentence.
func ExampleHarnessProfile() {
	show := host.WrapModelCall("show", func(
		ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
	) (*model.Response, *host.Update, error) {
		fmt.Println(req.System.Text())
		resp, err := next(ctx, req)
		return resp, nil, err
	})
	profile := builtin.HarnessProfile{Profiles: map[string]builtin.ModelProfile{"acme": {SystemPromptSuffix: "Think step by step."}}}
	agent, err := host.New(host.Config{
		Model: &scripted.Turns{Script: []scripted.Turn{scripted.Say("Hello.")}, Provider: "acme"}, SystemPrompt: abi.Text("You help."),
		Middleware: []host.Middleware{profile, show},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = agent.Close() }()
	result, err := agent.Run(context.Background(), host.Input{Messages: []abi.Message{abi.Human("Hello.")}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Text())
	// Output:
	// You help.
	//
	// Think step by step.
	// Hello.
}
