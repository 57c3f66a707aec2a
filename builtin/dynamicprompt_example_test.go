package builtin_test

import (
	"context"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// The model, which repeats what it was asked, is told the language that the caller has chosen.
func ExampleDynamicPrompt() {
	agent, err := host.New(host.Config{
		Model: &scripted.Echo{}, SystemPrompt: abi.Text("You are a guide."),
		Middleware: []host.Middleware{builtin.DynamicPrompt{
			Template: `{{with .state.language}}Answer in {{.}}.{{end}}`, Mode: "append",
		}},
		State: []host.Field{host.NewField[string]("language").Field},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	for _, state := range []map[string]any{nil, {"language": "French"}} {
		result, err := agent.Run(context.Background(), host.Input{Messages: []abi.Message{abi.Human("Where am I?")}, State: state})
		fmt.Printf("%q %v\n", result.Text(), err)
	}
	// Output:
	// "You are a guide.-Where am I?" <nil>
	// "You are a guide.\n\nAnswer in French.-Where am I?" <nil>
}
