package mcp

import (
	"context"
	"iter"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model"
)

// Prepare changes the configuration of an agent that will be served, before the agent is built. It lets the model make the
// tool calls that clients ask for. If no checkpointer is set, it sets one in memory, so that a run can ask questions.
func Prepare(config *host.Config) {
	if config.Checkpointer == nil {
		config.Checkpointer = memory.New()
	}
	if config.Model == nil {
		return // New refuses it
	}
	base := caller{config.Model}
	if streamer, ok := config.Model.(model.Streamer); ok {
		config.Model = streamingCaller{base, streamer}
	} else {
		config.Model = base
	}
}

// directKey is the context key for a run's direct call.
type directKey struct{}

// direct is a tool call by a client. It takes the place of the model's answer.
type direct struct {
	call abi.ToolCall
	made bool // needs no lock: a run uses one goroutine at a time
}

func directOf(ctx context.Context) *direct {
	d, _ := ctx.Value(directKey{}).(*direct)
	return d
}

// answer returns the call the first time, and ends the run the next time.
func (d *direct) answer() *model.Response {
	if d.made {
		return model.Reply(abi.AI(""))
	}
	d.made = true
	return model.Reply(abi.AI("", d.call))
}

// caller is a model that a client's call can replace.
type caller struct{ model.Model }

// Unwrap returns the model, for [model.As].
func (c caller) Unwrap() model.Model { return c.Model }

// Generate answers with the client's call if the run has one.
func (c caller) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	if d := directOf(ctx); d != nil {
		return d.answer(), nil
	}
	return c.Model.Generate(ctx, req)
}

// streamingCaller is a caller whose model can stream.
type streamingCaller struct {
	caller

	streamer model.Streamer
}

// Stream answers as Generate does, in chunks.
func (c streamingCaller) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
	if d := directOf(ctx); d != nil {
		return func(yield func(model.Chunk, error) bool) { yield(model.Chunk{Response: d.answer()}, nil) }
	}
	return c.streamer.Stream(ctx, req)
}
