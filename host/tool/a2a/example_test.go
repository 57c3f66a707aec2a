package a2a_test

import (
	"context"
	"fmt"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool/a2a"
)

// An agent of agenthost has an agent elsewhere as a tool.
func ExampleNew() {
	ctx := context.Background()
	painter, err := a2a.New(ctx, a2a.Config{
		URL: "https://agents.example.com/a2a/painter", Headers: map[string]string{"Authorization": "Bearer a-secret-key"}, ConnectTimeout: 1,
	})
	if err != nil {
		fmt.Println("the agent cannot be reached")
		return
	}
	defer func() { _ = painter.Close() }()
	agent, err := host.New(host.Config{Model: &scripted.Echo{}, Tools: []host.Tool{painter}})
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = agent.Close()
	// Output: the agent cannot be reached
}
