package main

import (
	"context"

	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/flow/agent/react"
	"github.com/cloudwego/eino/schema"
)

// reactAgent is the agent of flow/agent/react.
type reactAgent struct {
	agent *react.Agent
	model *scripted
}

func newReact(ctx context.Context, model *scripted, search *search, middlewares int) (agent, error) {
	searcher, err := search.tool()
	if err != nil {
		return nil, err
	}
	config := &react.AgentConfig{
		ToolCallingModel: model,
		ToolsConfig:      compose.ToolsNodeConfig{Tools: []tool.BaseTool{searcher}},
		MaxStep:          2*51 + 2, // a round is two: the model's and the tools'
	}
	if middlewares > 0 {
		config.MessageRewriter = chain(middlewares)
	}
	agent, err := react.NewAgent(ctx, config)
	if err != nil {
		return nil, err
	}
	return &reactAgent{agent, model}, nil
}

// chain returns a rewriter that calls so many, which do nothing, in turn: a configuration has a single one.
func chain(n int) react.MessageModifier {
	rewriters := make([]react.MessageModifier, n)
	for i := range rewriters {
		rewriters[i] = func(_ context.Context, messages []*schema.Message) []*schema.Message { return messages }
	}
	return func(ctx context.Context, messages []*schema.Message) []*schema.Message {
		for _, rewrite := range rewriters {
			messages = rewrite(ctx, messages)
		}
		return messages
	}
}

// run counts the messages that the model was asked last, and its answer: the agent returns no others.
func (a *reactAgent) run(ctx context.Context, input []*schema.Message) (int, string, error) {
	last, err := a.agent.Generate(ctx, input)
	if err != nil {
		return 0, "", err
	}
	return a.model.asked + 1, last.Content, nil
}
