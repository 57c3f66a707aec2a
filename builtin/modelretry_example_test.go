package builtin_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// A provider has too much to do for a moment.
func ExampleModelRetry() {
	overloaded := &model.Error{Provider: "acme", Kind: model.ErrorOverloaded, Status: 529, Retryable: true, Err: errors.New("try again later")}
	agent, err := host.New(host.Config{
		Model: scripted.NewTurns(scripted.Fail(overloaded), scripted.Say("Hello.")),
		Middleware: []host.Middleware{builtin.ModelRetry{Retry: builtin.Retry{
			RetryOn: []string{"retryable"}, InitialDelay: new(builtin.Seconds(0.001)), Jitter: new(false),
		}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	result, err := agent.RunEvents(context.Background(), host.Input{Messages: []abi.Message{abi.Human("Hi.")}}, func(e host.Event) error {
		if e.Type == host.EventWarn {
			fmt.Println(e.Text)
		}
		return nil
	})
	fmt.Println(result.Text(), err)
	// Output:
	// model_retry: attempt 2 of 3 in 1ms: model "scripted": acme: overloaded (HTTP 529): try again later
	// Hello. <nil>
}
