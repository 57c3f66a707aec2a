package scripted

import (
	"context"
	"iter"
	"strings"
	"sync/atomic"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
)

// Echo is a model that repeats its input: the contents of all messages, the system prompt first, joined by "-". Its i-th
// answer, from 0, has the tool calls Calls[i mod len(Calls)]. The agent gives an answer its id, which is unique in a thread.
type Echo struct {
	Calls [][]abi.ToolCall

	calls atomic.Int64
}

// Info describes the model.
func (e *Echo) Info() model.Info { return model.Info{Name: "echo"} }

// Generate answers with the input.
func (e *Echo) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	n := int(e.calls.Add(1)) - 1
	var parts []string
	if !req.System.IsZero() {
		parts = append(parts, req.System.Text())
	}
	for _, m := range req.Messages.All() {
		parts = append(parts, m.Content.Text())
	}
	answer := abi.AI(strings.Join(parts, "-"))
	if len(e.Calls) > 0 {
		answer.ToolCalls = e.Calls[n%len(e.Calls)]
	}
	return model.Reply(answer), nil
}

// Stream answers word by word.
func (e *Echo) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
	return stream(ctx, e, req)
}
