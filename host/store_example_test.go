package host_test

import (
	"context"
	"fmt"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/store"
	"github.com/agenthost/agenthost/host/store/memory"
	"github.com/agenthost/agenthost/host/tool"
)

// remember makes a tool that notes something of the user for three months.
func remember() host.Tool {
	type arguments struct {
		Topic string `json:"topic"`
		Note  string `json:"note"`
	}
	return tool.Func("remember", "Notes something of the user.", func(ctx context.Context, in arguments) (string, error) {
		rt := host.RuntimeOf(ctx)
		user, err := host.ContextAs[string](rt)
		if err != nil {
			return "", err
		}
		options := store.PutOptions{TTL: 90 * 24 * time.Hour, Quota: store.Quota{Bytes: 64 << 10}}
		_, err = store.Put(ctx, rt.Store(), store.Namespace{"users", user}, in.Topic, in.Note, options)
		return "Noted.", err
	})
}

// recall makes a middleware that tells the model what was noted.
func recall() host.Middleware {
	return host.DynamicPrompt(func(ctx context.Context, rt *host.Runtime, _ *model.Request) (string, error) {
		user, err := host.ContextAs[string](rt)
		if err != nil {
			return "", err
		}
		page, err := rt.Store().List(ctx, store.Namespace{"users", user}, store.Query{Values: true})
		prompt := "You know of the user:"
		for _, entry := range page.Items {
			var note string
			if err := host.Decode(entry.Value, &note); err != nil {
				return "", err
			}
			prompt += " " + entry.Key + ": " + note + "."
		}
		return prompt, err
	})
}

// ExampleRuntime_Store has a tool that writes to the store of its agent, and another agent whose middleware reads there.
func ExampleRuntime_Store() {
	kept := memory.New() // or Values() of a database of checkpoint/sqlite or checkpoint/postgres
	writer, err := host.New(host.Config{
		Model: scripted.NewTurns(
			scripted.CallTools(abi.Call("1", "remember", map[string]any{"topic": "drinks", "note": "tea, no milk"})), scripted.Say("I will."),
		),
		Tools: []host.Tool{remember()},
		Store: kept,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer writer.Close()
	reader, err := host.New(host.Config{Model: &scripted.Echo{}, Middleware: []host.Middleware{recall()}, Store: kept})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer reader.Close()

	ctx := context.Background()
	result, err := writer.Run(ctx, host.Input{Messages: []abi.Message{abi.Human("Remember how I like my tea.")}, Context: "ada"})
	fmt.Println(result.Text(), err)
	for _, user := range []string{"ada", "bob"} {
		result, err = reader.Run(ctx, host.Input{Messages: []abi.Message{abi.Human("Hi")}, Context: user})
		fmt.Println(result.Text(), err)
	}
	// Output:
	// I will. <nil>
	// You know of the user: drinks: tea, no milk.-Hi <nil>
	// You know of the user:-Hi <nil>
}
