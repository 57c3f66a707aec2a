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

// From six messages on, a small model sums up all but the last two.
func ExampleSummarization() {
	agent, err := host.New(host.Config{
		Model:  scripted.NewTurns(scripted.Say("In Lisbon it rains, Ann.")),
		Models: map[string]model.Model{"small": scripted.NewTurns(scripted.Say("The user is called Ann and plans a journey to Lisbon."))},
		Middleware: []host.Middleware{builtin.Summarization{
			Model:   "small",
			Trigger: builtin.ContextTriggers{{Messages: new(6)}, {Tokens: new(100_000)}},
			Keep:    builtin.ContextSize{Messages: new(2)},
		}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	result, err := agent.Run(context.Background(), host.Input{Messages: []abi.Message{
		abi.Human("I am Ann."), abi.AI("Hello Ann!"), abi.Human("I plan a journey to Lisbon."), abi.AI("A fine choice."),
		abi.Human("What do I need?"), abi.AI("That depends on the weather."), abi.Human("How is it there?"),
	}})
	for _, m := range result.Messages.All() {
		fmt.Printf("%s: %q\n", m.Role, m.Content.Text())
	}
	fmt.Println(err)
	// Output:
	// human: "Here is a summary of the conversation to date:\n\nThe user is called Ann and plans a journey to Lisbon."
	// ai: "That depends on the weather."
	// human: "How is it there?"
	// ai: "In Lisbon it rains, Ann."
	// <nil>
}
