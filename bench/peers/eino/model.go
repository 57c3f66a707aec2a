package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/components/tool/utils"
	"github.com/cloudwego/eino/schema"
)

// scripted is a model that asks for the tool in each of the run's rounds, and then is done.
type scripted struct {
	rounds   int // of the run
	parallel int // tool calls in each
	calls    int // of the model, in the run so far
	asked    int // messages that the last call had
}

func (m *scripted) Generate(_ context.Context, input []*schema.Message, _ ...model.Option) (*schema.Message, error) {
	m.calls++
	m.asked = len(input)
	if m.calls > m.rounds {
		return schema.AssistantMessage("done", nil), nil
	}
	calls := make([]schema.ToolCall, m.parallel)
	for i := range calls {
		calls[i] = schema.ToolCall{
			ID: fmt.Sprintf("call_%d_%d", m.calls, i), Type: "function",
			Function: schema.FunctionCall{Name: "search", Arguments: `{"q": "x"}`},
		}
	}
	return schema.AssistantMessage("", calls), nil
}

func (m *scripted) Stream(context.Context, []*schema.Message, ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	return nil, errors.New("the model does not stream")
}

// WithTools returns the model itself, which knows its tool.
func (m *scripted) WithTools([]*schema.ToolInfo) (model.ToolCallingChatModel, error) { return m, nil }

// search is the tool, and counts its calls.
type search struct{ calls atomic.Int64 }

type query struct {
	Q string `json:"q" jsonschema:"description=what to look for"`
}

func (s *search) tool() (tool.InvokableTool, error) {
	return utils.InferTool("search", "Looks something up.", func(_ context.Context, query query) (string, error) {
		if query.Q != "x" {
			return "", fmt.Errorf("asked for %q", query.Q)
		}
		s.calls.Add(1)
		return "result", nil
	})
}
