// Command embed runs an agent inside a Go program.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/openai"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
)

type query struct {
	City string `json:"city" jsonschema:"the city to look up"`
}

func weather(_ context.Context, q query) (string, error) { return "sunny in " + q.City, nil }

// chosen returns a model of OpenAI or of a compatible server if there is a key, and a scripted model if not.
func chosen() model.Model {
	if os.Getenv(openai.APIKeyVariable) != "" {
		return openai.New("gpt-5.2") // at OPENAI_BASE_URL, if that is set
	}
	return scripted.NewTurns(
		scripted.CallTools(abi.Call("1", "weather", map[string]any{"city": "Oslo"})),
		scripted.Say("Take sunglasses."),
	)
}

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) (err error) {
	agent, err := host.New(host.Config{
		Model:      chosen(),
		Tools:      []host.Tool{tool.Func("weather", "Tells the weather.", weather)},
		Middleware: []host.Middleware{builtin.ModelCallLimit{RunLimit: new(10)}},
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, agent.Close()) }()
	result, err := agent.Run(ctx, host.Input{Messages: []abi.Message{abi.Human("What to wear in Oslo?")}})
	fmt.Println(result.Text())
	return err
}
