package mcp_test

import (
	"context"
	"fmt"
	"io"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
	mcpserver "github.com/agenthost/agenthost/server/mcp"
)

// An agent as an MCP server, and a client that runs it.
func ExampleServer() {
	config := host.Config{Name: "greeter", Model: scripted.NewTurns(scripted.Say("Good morning, Ada."))}
	mcpserver.Prepare(&config)
	agent, err := host.New(config)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	server, err := mcpserver.New(agent, mcpserver.Config{
		Name: config.Name, Description: "Greets people.", Tools: config.Tools, Threads: config.Checkpointer,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()

	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	go server.Serve(context.Background(), fromClient, toClient) // os.Stdin and os.Stdout, in a program that clients start

	client := sdk.NewClient(&sdk.Implementation{Name: "client", Version: "1"}, nil)
	session, err := client.Connect(context.Background(), &sdk.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer session.Close()
	result, err := session.CallTool(context.Background(), &sdk.CallToolParams{Name: "greeter", Arguments: map[string]any{"prompt": "Greet Ada."}})
	if err != nil {
		fmt.Println(err)
		return
	}
	if text, ok := result.Content[0].(*sdk.TextContent); ok {
		fmt.Println(text.Text)
	}
	// Output: Good morning, Ada.
}
