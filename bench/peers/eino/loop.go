package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/cloudwego/eino/schema"

	"github.com/agenthost/agenthost/bench/peer"
)

// An agent is a flavour of Eino's, built once. Run returns how many messages there were in the end, and the last one's text.
type agent interface {
	run(ctx context.Context, input []*schema.Message) (messages int, last string, err error)
}

// flavours build an agent of the model and the tool with so many middlewares that do nothing.
var flavours = map[string]func(ctx context.Context, model *scripted, tool *search, middlewares int) (agent, error){
	"react": newReact,
	"adk":   newADK,
}

// loop performs a case of the suite loop: its name has the flavour before a colon.
func loop(name string, seconds float64) (*peer.Result, error) {
	flavour, name, _ := strings.Cut(name, ":")
	build := flavours[flavour]
	if build == nil {
		return nil, peer.AbsentError("its cases are react:… and adk:…")
	}
	loop, err := peer.LoopOf(name)
	if err != nil {
		return nil, err
	}
	if loop.Memory {
		return nil, peer.AbsentError("Eino keeps no conversations: its checkpoint stores are for what is interrupted")
	}

	ctx := context.Background()
	model, tool := &scripted{parallel: loop.Calls}, &search{}
	agent, err := build(ctx, model, tool, loop.Middlewares)
	if err != nil {
		return nil, err
	}
	input := conversation(loop.History)
	return loop.Measure(seconds, func(rounds int, begin, end func()) (peer.Tally, error) {
		model.rounds, model.calls = rounds, 0
		tool.calls.Store(0)
		begin()
		messages, last, err := agent.run(ctx, input)
		end()
		return peer.Tally{Calls: model.calls, Tools: int(tool.calls.Load()), Messages: messages, Last: last}, err
	})
}

// conversation is so many messages, and what the user says then.
func conversation(before int) []*schema.Message {
	var messages []*schema.Message
	for i := range before {
		text := fmt.Sprint("message ", i)
		if i%2 == 0 {
			messages = append(messages, schema.UserMessage(text))
		} else {
			messages = append(messages, schema.AssistantMessage(text, nil))
		}
	}
	return append(messages, schema.UserMessage("hi"))
}
