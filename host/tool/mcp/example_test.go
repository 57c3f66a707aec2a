package mcp_test

import (
	"context"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool/mcp"
)

// An agent with the tools of a server. The server here is in the same program; a Command or a URL is the usual way.
func ExampleConnect() {
	library := sdk.NewServer(&sdk.Implementation{Name: "library", Version: "1"}, nil)
	type book struct {
		Title string `json:"title"`
	}
	sdk.AddTool(library, &sdk.Tool{Name: "find.book", Description: "Says where a book stands."},
		func(_ context.Context, _ *sdk.CallToolRequest, in book) (*sdk.CallToolResult, any, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: in.Title + ": third shelf"}}}, nil, nil
		})

	server, err := mcp.Connect(context.Background(), mcp.Config{
		Name: "library", Prefix: "library_", Include: []string{"find.*"}, Idempotent: []string{"find.*"},
		// Command: []string{"npx", "some-server"}, or URL: "https://example.com/mcp"
		Transport: func() (sdk.Transport, error) {
			ours, theirs := sdk.NewInMemoryTransports()
			_, err := library.Connect(context.Background(), theirs, nil)
			return ours, err
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close() // after the agent

	agent, err := host.New(host.Config{
		Model: scripted.NewTurns(
			scripted.CallTools(abi.Call("1", "library_find_book", map[string]any{"title": "Emma"})),
			scripted.Say("Look at the third shelf."),
		),
		Tools: server.Tools(),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	result, err := agent.Run(context.Background(), host.Input{Messages: []abi.Message{abi.Human("Where is Emma?")}})
	for _, m := range result.Messages.All() {
		fmt.Printf("%s: %q\n", m.Role, m.Content.Text())
	}
	fmt.Println(err)
	// Output:
	// human: "Where is Emma?"
	// ai: ""
	// tool: "Emma: third shelf"
	// ai: "Look at the third shelf."
	// <nil>
}
