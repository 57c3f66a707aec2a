package client_test

import (
	"context"
	"fmt"
	"os"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/server/client"
)

// The server may be agenthost serve, or LangGraph's own. A stream goes on by itself when the connection breaks.
func Example() { //nolint:testableexamples // there is no such server
	c, err := client.New(client.Config{
		URL: "https://agents.example.com", Headers: map[string]string{"x-api-key": os.Getenv("AGENTS_KEY")},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	ctx := context.Background()
	thread, err := c.CreateThread(ctx, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	input, err := wire.MapOf(map[string]any{"messages": []any{map[string]any{"role": "user", "content": "What is new?"}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for event, err := range c.Stream(ctx, thread.ID, &client.RunRequest{Assistant: "support", Input: input, StreamModes: []string{"updates"}}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(event.Name, string(event.Data))
	}
}
