package mcp

import (
	"context"
	"iter"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model"
)

// Prepare changes the configuration of an agent that is to be a server, before it is built. Its model then makes the calls of
// tools that clients ask for, and where nothing keeps its threads, memory does: a run can then ask something in its middle.
func Prepare(config *host.Config) {
	if config.Checkpointer == nil {
		config.Checkpointer = memory.New()
	}
	if config.Model == nil {
		return // which New refuses
	}
	base := caller{config.Model}
	streamer, streams := config.Model.(model.Streamer)
	counter, counts := config.Model.(model.TokenCounter)
	switch {
	case streams && counts:
		config.Model = struct {
			streamingCaller
			counting
		}{streamingCaller{base, streamer}, counting{counter}}
	case streams:
		config.Model = streamingCaller{base, streamer}
	case counts:
		config.Model = struct {
			caller
			counting
		}{base, counting{counter}}
	default:
		config.Model = base
	}
}

// directKey is the key under which a run finds the call that takes the place of the model's answer.
type directKey struct{}

// direct is a call of a tool by a client.
type direct struct {
	call abi.ToolCall
	made bool // one run is in one goroutine at a time
}

func directOf(ctx context.Context) *direct {
	d, _ := ctx.Value(directKey{}).(*direct)
	return d
}

// answer is the call, the first time, and then the end of the run.
func (d *direct) answer() *model.Response {
	if d.made {
		return model.Reply(abi.AI(""))
	}
	d.made = true
	return model.Reply(abi.AI("", d.call))
}

// caller is a model whose place a client's call takes.
type caller struct{ model.Model }

// Generate answers with the client's call, if the run is for one.
func (c caller) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	if d := directOf(ctx); d != nil {
		return d.answer(), nil
	}
	return c.Model.Generate(ctx, req)
}

// streamingCaller is one that answers piece by piece.
type streamingCaller struct {
	caller

	streamer model.Streamer
}

// Stream answers as Generate does.
func (c streamingCaller) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
	if d := directOf(ctx); d != nil {
		return func(yield func(model.Chunk, error) bool) { yield(model.Chunk{Response: d.answer()}, nil) }
	}
	return c.streamer.Stream(ctx, req)
}

// counting counts tokens as the model does.
type counting struct{ counter model.TokenCounter }

// CountTokens counts them.
func (c counting) CountTokens(m *abi.Message) int { return c.counter.CountTokens(m) }
