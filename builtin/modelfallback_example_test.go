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

// The agent's model is tried twice, and then another one is asked.
func ExampleModelFallback() {
	down := scripted.Fail(errors.New("it is down"))
	agent, err := host.New(host.Config{
		Model:  scripted.NewTurns(down, down),
		Models: map[string]model.Model{"small": scripted.NewTurns(scripted.Say("Hello from the small one."))},
		Middleware: []host.Middleware{
			builtin.ModelFallback{Models: []string{"small"}},
			builtin.ModelRetry{Retry: builtin.Retry{
				MaxRetries: new(1), InitialDelay: new(builtin.Seconds(0.001)), OnFailure: builtin.OnFailure{Behavior: "error"},
			}},
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	result, err := agent.Run(context.Background(), host.Input{Messages: []abi.Message{abi.Human("Hi.")}})
	fmt.Println(result.Text(), err)
	// Output: Hello from the small one. <nil>
}
