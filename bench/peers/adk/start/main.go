// The command start asks an agent of Google's Agent Development Kit for Go one thing, and prints the answer.
package main

import (
	"context"
	"fmt"
	"iter"
	"os"

	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/agent/llmagent"
	"google.golang.org/adk/v2/model"
	"google.golang.org/adk/v2/runner"
	"google.golang.org/adk/v2/session"
	"google.golang.org/adk/v2/tool"
	"google.golang.org/adk/v2/tool/functiontool"
	"google.golang.org/genai"

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
	search, err := functiontool.New(functiontool.Config{Name: "search", Description: "Looks something up."},
		func(agent.Context, query) (found, error) { return found{Result: "result"}, nil })
	if err != nil {
		return "", err
	}
	assistant, err := llmagent.New(llmagent.Config{
		Name:        "assistant",
		Description: "Answers questions.",
		Model:       remote{},
		Tools:       []tool.Tool{search},
	})
	if err != nil {
		return "", err
	}
	runs, err := runner.New(runner.Config{
		AppName: "bench", Agent: assistant, SessionService: session.InMemoryService(), AutoCreateSession: true,
	})
	if err != nil {
		return "", err
	}
	last := ""
	for event, err := range runs.Run(ctx, "someone", "session", genai.NewContentFromText(question, genai.RoleUser), agent.RunConfig{}) {
		if err != nil {
			return "", err
		}
		last = event.Content.Parts[0].Text
	}
	return last, nil
}

type query struct {
	Q string `json:"q" jsonschema:"what to look for"`
}

type found struct {
	Result string `json:"result"`
}

// remote is the model at $MODEL_URL.
type remote struct{}

func (remote) Name() string { return "remote" }

func (remote) GenerateContent(ctx context.Context, request *model.LLMRequest, _ bool) iter.Seq2[*model.LLMResponse, error] {
	return func(yield func(*model.LLMResponse, error) bool) {
		messages := make([]chat.Message, len(request.Contents))
		for i, content := range request.Contents {
			messages[i] = chat.Message{Role: content.Role, Content: content.Parts[0].Text}
		}
		text, err := chat.Complete(ctx, os.Getenv("MODEL_URL"), messages...)
		if err != nil {
			yield(nil, err)
			return
		}
		yield(&model.LLMResponse{Content: genai.NewContentFromText(text, genai.RoleModel)}, nil)
	}
}
