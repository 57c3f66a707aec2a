package builtin_test

import (
	"context"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
)

func ExampleModelCallLimit() {
	runLimit := 3
	agent, err := host.New(host.Config{
		Model: &scripted.Turns{
			Script: []scripted.Turn{scripted.CallTools(abi.Call("1", "search", nil))}, AfterEnd: scripted.EndRepeat,
		},
		Tools:      []host.Tool{tool.Func("search", "", func(context.Context, struct{}) (string, error) { return "nothing", nil })},
		Middleware: []host.Middleware{builtin.ModelCallLimit{RunLimit: &runLimit}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	result, err := agent.Run(context.Background(), host.Input{Messages: []abi.Message{abi.Human("Search for ever.")}})
	fmt.Println(result.Text(), err)
	// Output: Model call limits exceeded: run limit (3/3) <nil>
}
