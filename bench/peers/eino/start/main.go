// The command start asks an agent of Eino's ADK one thing, and prints the answer.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/cloudwego/eino/adk"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/components/tool/utils"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"

	"github.com/agenthost/agenthost/bench/peer/chat"
)

func main() {
	text, err := ask(context.Background(), "hi")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Fprintln(os.Stdout, text)
}

func ask(ctx context.Context, question string) (string, error) {
	search, err := utils.InferTool("search", "Looks something up.", func(_ context.Context, _ query) (string, error) { return "result", nil })
	if err != nil {
		return "", err
	}
	agent, err := adk.NewChatModelAgent(ctx, &adk.ChatModelAgentConfig{
		Name:        "assistant",
		Description: "Answers questions.",
		Model:       remote{},
		ToolsConfig: adk.ToolsConfig{ToolsNodeConfig: compose.ToolsNodeConfig{Tools: []tool.BaseTool{search}}},
	})
	if err != nil {
		return "", err
	}
	last := ""
	for events := adk.NewRunner(ctx, adk.RunnerConfig{Agent: agent}).Query(ctx, question); ; {
		event, ok := events.Next()
		if !ok {
			return last, nil
		}
		if event.Err != nil {
			return "", event.Err
		}
		if event.Output != nil && event.Output.MessageOutput != nil {
			last = event.Output.MessageOutput.Message.Content
		}
	}
}

type query struct {
	Q string `json:"q" jsonschema:"description=what to look for"`
}

// remote is the model at $MODEL_URL.
type remote struct{}

func (remote) Generate(ctx context.Context, input []*schema.Message, _ ...model.Option) (*schema.Message, error) {
	messages := make([]chat.Message, len(input))
	for i, message := range input {
		messages[i] = chat.Message{Role: string(message.Role), Content: message.Content}
	}
	text, err := chat.Complete(ctx, os.Getenv("MODEL_URL"), messages...)
	if err != nil {
		return nil, err
	}
	return schema.AssistantMessage(text, nil), nil
}

func (remote) Stream(context.Context, []*schema.Message, ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	return nil, errors.New("the model does not stream")
}
