package main

import (
	"context"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"
)

// adkAgent is a ChatModelAgent of Eino's ADK with its Runner.
type adkAgent struct{ runner *adk.Runner }

func newADK(ctx context.Context, model *scripted, search *search, middlewares int) (agent, error) {
	searcher, err := search.tool()
	if err != nil {
		return nil, err
	}
	handlers := make([]adk.ChatModelAgentMiddleware, middlewares)
	for i := range handlers {
		handlers[i] = &nothing{}
	}
	agent, err := adk.NewChatModelAgent(ctx, &adk.ChatModelAgentConfig{
		Name:          "assistant",
		Description:   "Answers questions.",
		Model:         model,
		ToolsConfig:   adk.ToolsConfig{ToolsNodeConfig: compose.ToolsNodeConfig{Tools: []tool.BaseTool{searcher}}},
		MaxIterations: 51 + 1,
		Handlers:      handlers,
	})
	if err != nil {
		return nil, err
	}
	return &adkAgent{adk.NewRunner(ctx, adk.RunnerConfig{Agent: agent})}, nil
}

// run counts the messages that go in, and those that come out.
func (a *adkAgent) run(ctx context.Context, input []*schema.Message) (int, string, error) {
	messages, last := len(input), ""
	for events := a.runner.Run(ctx, input); ; {
		event, ok := events.Next()
		if !ok {
			return messages, last, nil
		}
		if event.Err != nil {
			return 0, "", event.Err
		}
		if event.Output != nil && event.Output.MessageOutput != nil {
			message, err := event.Output.MessageOutput.GetMessage()
			if err != nil {
				return 0, "", err
			}
			messages++
			last = message.Content
		}
	}
}

// nothing is a middleware with one hook, which does nothing.
type nothing struct {
	*adk.BaseChatModelAgentMiddleware
}

func (*nothing) BeforeModelRewriteState(
	ctx context.Context, state *adk.ChatModelAgentState, _ *adk.ModelContext,
) (context.Context, *adk.ChatModelAgentState, error) {
	return ctx, state, nil
}
