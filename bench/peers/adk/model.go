package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync/atomic"

	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/model"
	"google.golang.org/adk/v2/tool"
	"google.golang.org/adk/v2/tool/functiontool"
	"google.golang.org/genai"
)

// scripted is a model that asks for the tool in each of the run's rounds, and then is done.
type scripted struct {
	rounds   int // of the run
	parallel int // tool calls in each
	calls    int // of the model, in the run so far
}

func (*scripted) Name() string { return "scripted" }

func (m *scripted) GenerateContent(_ context.Context, _ *model.LLMRequest, stream bool) iter.Seq2[*model.LLMResponse, error] {
	return func(yield func(*model.LLMResponse, error) bool) {
		if stream {
			yield(nil, errors.New("the model does not stream"))
			return
		}
		yield(m.next(), nil)
	}
}

func (m *scripted) next() *model.LLMResponse {
	m.calls++
	if m.calls > m.rounds {
		return &model.LLMResponse{Content: genai.NewContentFromText("done", genai.RoleModel)}
	}
	parts := make([]*genai.Part, m.parallel)
	for i := range parts {
		parts[i] = &genai.Part{FunctionCall: &genai.FunctionCall{
			ID: fmt.Sprintf("call_%d_%d", m.calls, i), Name: "search", Args: map[string]any{"q": "x"},
		}}
	}
	return &model.LLMResponse{Content: genai.NewContentFromParts(parts, genai.RoleModel)}
}

// search is the tool, and counts its calls.
type search struct{ calls atomic.Int64 }

type query struct {
	Q string `json:"q" jsonschema:"what to look for"`
}

type found struct {
	Result string `json:"result"`
}

func (s *search) tool() (tool.Tool, error) {
	return functiontool.New(functiontool.Config{Name: "search", Description: "Looks something up."},
		func(_ agent.Context, query query) (found, error) {
			if query.Q != "x" {
				return found{}, fmt.Errorf("asked for %q", query.Q)
			}
			s.calls.Add(1)
			return found{Result: "result"}, nil
		})
}
