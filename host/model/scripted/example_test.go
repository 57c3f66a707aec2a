package scripted_test

import (
	"context"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// A script for a test: the model asks for a tool, then answers.
func ExampleNewTurns() {
	m := scripted.NewTurns(
		scripted.CallTools(abi.Call("1", "search", map[string]any{"q": "go"})),
		scripted.Say("Go is a language."),
	)
	for range 2 {
		resp, err := m.Generate(context.Background(), &model.Request{})
		fmt.Println(resp.AI().Content.Text(), len(resp.AI().ToolCalls), err)
	}
	// Output:
	//  1 <nil>
	// Go is a language. 0 <nil>
}

// A model for a demo that needs no provider.
func ExampleNewRules() {
	m, err := scripted.NewRules(
		scripted.Rule{From: "human", When: `weather in (\w+)`, Call: []scripted.RuleCall{
			{Tool: "weather", Args: map[string]any{"city": "$1"}},
		}},
		scripted.Rule{From: "tool", Tool: "weather", Say: "The weather report says: $0", When: ".+"},
		scripted.Rule{Say: "Ask me about the weather."},
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	messages := history.Of(abi.Human("What is the weather in Oslo?"))
	resp, _ := m.Generate(context.Background(), &model.Request{Messages: messages})
	call := resp.AI().ToolCalls[0]
	fmt.Println(call.Name, call.Args.JSON())

	messages = messages.Append(*resp.AI(), abi.ToolResult(call, "sunny"))
	resp, _ = m.Generate(context.Background(), &model.Request{Messages: messages})
	fmt.Println(resp.AI().Content.Text())
	// Output:
	// weather {"city":"Oslo"}
	// The weather report says: sunny
}

// A model that shows what it was asked.
func ExampleEcho() {
	var m scripted.Echo
	resp, err := m.Generate(context.Background(), &model.Request{
		System: abi.Text("Be kind."), Messages: history.Of(abi.Human("Hello")),
	})
	fmt.Println(resp.AI().Content.Text(), err)
	// Output: Be kind.-Hello <nil>
}
