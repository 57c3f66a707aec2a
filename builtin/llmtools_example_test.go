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

// A small model selects one of three tools for each question.
func ExampleLLMToolSelector() {
	nothing := func(context.Context, struct{}) (string, error) { return "", nil }
	show := host.WrapModelCall("show", func(
		ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
	) (*model.Response, *host.Update, error) {
		for i := range req.Tools {
			fmt.Println("offered:", req.Tools[i].Name)
		}
		resp, err := next(ctx, req)
		return resp, nil, err
	})
	agent, err := host.New(host.Config{
		Model:  scripted.NewTurns(scripted.Say("It rains.")),
		Models: map[string]model.Model{"small": scripted.NewTurns(scripted.Say(`{"tools": ["weather"]}`))},
		Tools: []host.Tool{
			tool.Func("search", "Searches the web.", nothing), tool.Func("weather", "Tells the weather.", nothing), tool.Func("send_mail", "Sends a mail.", nothing),
		},
		Middleware: []host.Middleware{builtin.LLMToolSelector{Model: "small", MaxTools: new(1), AlwaysInclude: []string{"search"}}, show},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	result, err := agent.Run(context.Background(), host.Input{Messages: []abi.Message{abi.Human("Is it raining?")}})
	answer, _ := result.Messages.Last()
	fmt.Println(answer.Content.Text(), err)
	// Output:
	// offered: weather
	// offered: search
	// It rains. <nil>
}

// An agent is tried before its tool exists.
func ExampleLLMToolEmulator() {
	agent, err := host.New(host.Config{
		Model:      scripted.NewTurns(scripted.CallTools(abi.Call("1", "weather", map[string]any{"city": "Bonn"})), scripted.Say("Take an umbrella.")),
		Models:     map[string]model.Model{"small": scripted.NewTurns(scripted.Say("rain, 12 °C"))},
		Middleware: []host.Middleware{builtin.LLMToolEmulator{Model: "small"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	result, err := agent.Run(context.Background(), host.Input{Messages: []abi.Message{abi.Human("How is the weather in Bonn?")}})
	for _, m := range result.Messages.All() {
		fmt.Printf("%s: %q\n", m.Role, m.Content.Text())
	}
	fmt.Println(err)
	// Output:
	// human: "How is the weather in Bonn?"
	// ai: ""
	// tool: "rain, 12 °C"
	// ai: "Take an umbrella."
	// <nil>
}
