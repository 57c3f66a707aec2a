package builtin_test

import (
	"context"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// A conversation with an image goes on with a model that sees none.
func ExampleUnsupportedContent() {
	blind := &sighted{Model: scripted.NewTurns(scripted.Say("I cannot see it.")), info: model.Info{Images: model.SupportNo}}
	agent, err := host.New(host.Config{Model: blind, Middleware: []host.Middleware{builtin.UnsupportedContent{}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer agent.Close()
	question := abi.Message{Role: abi.RoleHuman, Content: abi.Blocks(abi.TextBlock("What is this?"), abi.ImageBlock("image/png", []byte("…")))}
	result, err := agent.Run(context.Background(), host.Input{Messages: []abi.Message{question}})
	fmt.Println(result.Text(), err)
	sent := blind.last.Messages.At(0)
	fmt.Println(sent.Content.Blocks()[1].Text())
	// Output:
	// I cannot see it. <nil>
	// [This image was not attached because this model does not support image content (image/png).]
}
