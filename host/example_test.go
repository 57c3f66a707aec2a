package host_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
)

// runExample builds an agent, runs it and prints its messages.
func runExample(config host.Config) {
	agent, err := host.New(config)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	result, err := agent.Run(context.Background(), host.Input{Messages: []abi.Message{abi.Human("What is Go?")}})
	for _, m := range result.Messages.All() {
		fmt.Printf("%s: %q\n", m.Role, m.Content.Text())
	}
	if err != nil {
		fmt.Println("error:", err)
	}
}

func search() host.Tool {
	type arguments struct {
		Query string `json:"query"`
	}
	return tool.Func("search", "Searches the web.", func(_ context.Context, in arguments) (string, error) {
		return "results for " + in.Query, nil
	})
}

// searching is a script in which the model searches once.
func searchingOnce() model.Model {
	return scripted.NewTurns(
		scripted.CallTools(abi.Call("1", "search", map[string]any{"query": "go"})),
		scripted.Say("A language."),
	)
}

// An agent with a tool and a middleware.
func ExampleNew() {
	agent, err := host.New(host.Config{
		Model:        searchingOnce(),
		SystemPrompt: abi.Text("You are a helpful assistant."),
		Tools:        []host.Tool{search()},
		Middleware: []host.Middleware{
			host.BeforeModel("counts", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
				fmt.Printf("%s sees %d messages\n", rt.Step(), rt.State().Messages().Len())
				return nil, nil
			}),
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()

	result, err := agent.Run(context.Background(), host.Input{Messages: []abi.Message{abi.Human("What is Go?")}})
	fmt.Println(result.Status, result.Text(), err)
	// Output:
	// counts.before_model sees 1 messages
	// counts.before_model sees 3 messages
	// completed A language. <nil>
}

// A run whose events are printed as they come.
func ExampleAgent_Stream() {
	agent, err := host.New(host.Config{Model: searchingOnce(), Tools: []host.Tool{search()}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	for event, err := range agent.Stream(context.Background(), host.Input{Messages: []abi.Message{abi.Human("What is Go?")}}) {
		switch {
		case err != nil:
			fmt.Println(err)
		case event.Type == host.EventToken && event.Text != "":
			fmt.Printf("%q\n", event.Text)
		case event.Type == host.EventTool && event.Messages != nil:
			fmt.Println(event.Call.Name, "answered", event.Messages[0].Content.Text())
		case event.Type == host.EventEnd:
			fmt.Println(event.Status)
		}
	}
	// Output:
	// search answered results for go
	// "A "
	// "language."
	// completed
}

// A hook at the start of a run.
func ExampleBeforeAgent() {
	runExample(host.Config{
		Model: scripted.NewTurns(scripted.Say("A language.")),
		Middleware: []host.Middleware{
			host.BeforeAgent("date", func(context.Context, *host.Runtime) (*host.Update, error) {
				return &host.Update{Messages: []abi.Message{abi.System("Today is Sunday.")}}, nil
			}),
		},
	})
	// Output:
	// human: "What is Go?"
	// system: "Today is Sunday."
	// ai: "A language."
}

// A hook before every model call, which may end the run.
func ExampleBeforeModel() {
	runExample(host.Config{
		Model: scripted.NewTurns(),
		Middleware: []host.Middleware{
			host.BeforeModel("closed", func(context.Context, *host.Runtime) (*host.Update, error) {
				return &host.Update{Messages: []abi.Message{abi.AI("We are closed.")}, JumpTo: abi.JumpEnd}, nil
			}, host.CanJumpTo(abi.JumpEnd)),
		},
	})
	// Output:
	// human: "What is Go?"
	// ai: "We are closed."
}

// A hook after every model call, which answers the tool calls itself.
func ExampleAfterModel() {
	runExample(host.Config{
		Model: searchingOnce(),
		Tools: []host.Tool{search()},
		Middleware: []host.Middleware{
			host.AfterModel("offline", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
				u := &host.Update{}
				last, _ := rt.State().Messages().Last()
				for _, call := range last.ToolCalls {
					u.Messages = append(u.Messages, abi.ToolFailure(call, "There is no network."))
				}
				return u, nil
			}),
		},
	})
	// Output:
	// human: "What is Go?"
	// ai: ""
	// tool: "There is no network."
	// ai: "A language."
}

// A hook at the end of a run, which sends the model back to work once.
func ExampleAfterAgent() {
	runExample(host.Config{
		Model: scripted.NewTurns(scripted.Say("A game."), scripted.Say("A language.")),
		Middleware: []host.Middleware{
			host.AfterAgent("critic", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
				if last, _ := rt.State().Messages().Last(); last.Content.Text() != "A game." {
					return nil, nil
				}
				return &host.Update{Messages: []abi.Message{abi.Human("The other one.")}, JumpTo: abi.JumpModel}, nil
			}, host.CanJumpTo(abi.JumpModel)),
		},
	})
	// Output:
	// human: "What is Go?"
	// ai: "A game."
	// human: "The other one."
	// ai: "A language."
}

// A hook around the model call, which tries again.
func ExampleWrapModelCall() {
	runExample(host.Config{
		Model: scripted.NewTurns(scripted.Fail(errors.New("overloaded")), scripted.Say("A language.")),
		Middleware: []host.Middleware{
			host.WrapModelCall("retry", func(
				ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
			) (*model.Response, *host.Update, error) {
				resp, err := next(ctx, req)
				if err != nil {
					fmt.Println("again, after:", err)
					resp, err = next(ctx, req)
				}
				return resp, nil, err
			}, host.PassesTokens()),
		},
	})
	// Output:
	// again, after: model "scripted": overloaded
	// human: "What is Go?"
	// ai: "A language."
}

// A hook around the calls of one tool, which changes arguments and result.
func ExampleWrapToolCall() {
	runExample(host.Config{
		Model: searchingOnce(),
		Tools: []host.Tool{search()},
		Middleware: []host.Middleware{
			host.WrapToolCall("safe", func(
				ctx context.Context, _ *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
			) (*abi.Message, *host.Update, error) {
				args, err := wire.MapOf(map[string]any{"query": "safe go"})
				if err != nil {
					return nil, nil, err
				}
				m, err := next(ctx, req.WithArgs(args.Raw()))
				if err != nil {
					return nil, nil, err
				}
				changed := *m
				changed.Content = m.Content.Append(abi.Text(" (filtered)"))
				return &changed, nil, nil
			}, host.OnlyTools("search")),
		},
	})
	// Output:
	// human: "What is Go?"
	// ai: ""
	// tool: "results for safe go (filtered)"
	// ai: "A language."
}

// A system prompt that follows from the request.
func ExampleDynamicPrompt() {
	runExample(host.Config{
		Model: &scripted.Echo{},
		Middleware: []host.Middleware{
			host.DynamicPrompt(func(_ context.Context, _ *host.Runtime, req *model.Request) (string, error) {
				return fmt.Sprintf("There are %d messages.", req.Messages.Len()), nil
			}),
		},
	})
	// Output:
	// human: "What is Go?"
	// ai: "There are 1 messages.-What is Go?"
}

// A state field with a Go type.
func ExampleNewField() {
	topics := host.NewField[[]string]("topics", host.Reduced(host.Append()))
	agent, err := host.New(host.Config{
		Model: scripted.NewTurns(scripted.Say("A language.")),
		Middleware: []host.Middleware{
			host.AfterModel("topics", func(context.Context, *host.Runtime) (*host.Update, error) {
				u := &host.Update{}
				return u, topics.Set(u, []string{"go"})
			}, host.WithFields(topics.Field)),
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	result, err := agent.Run(context.Background(), host.Input{})
	fmt.Println(result.State.Raw().JSON(), err)
	// Output: {"topics":["go"]} <nil>
}

// The program of an agent as a Mermaid flowchart.
func ExampleProgram_Mermaid() {
	agent, err := host.New(host.Config{Model: searchingOnce(), Tools: []host.Tool{search()}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	fmt.Print(agent.Program().Mermaid())
	// Output:
	// flowchart TD
	//   start([start])
	//   s0[["model"]]
	//   s1[["tools"]]
	//   finish([end])
	//   start --> s0
	//   s0 -->|tool calls| s1
	//   s0 -->|all answered| s0
	//   s0 -->|no tool calls| finish
	//   s1 --> s0
}

// A hook looks something up by itself, before the model is asked.
func ExampleRuntime_CallTool() {
	ahead := host.BeforeAgent("ahead", func(ctx context.Context, rt *host.Runtime) (*host.Update, error) {
		answer, err := rt.CallTool(ctx, "search", wire.Map{{Key: "query", Value: wire.String("go")}}.Raw())
		if err != nil {
			return nil, err
		}
		return &host.Update{Messages: []abi.Message{abi.Human("I found " + answer.Content.Text() + ".")}}, nil
	})
	runExample(host.Config{
		Model: scripted.NewTurns(scripted.Say("A language.")), Tools: []host.Tool{search()}, Middleware: []host.Middleware{ahead},
	})
	// Output:
	// human: "What is Go?"
	// human: "I found results for go."
	// ai: "A language."
}
