package studio_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"sync/atomic"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// author is a model with rules that also reasons, writes slowly, and fails once, if it is told to.
type author struct {
	*scripted.Rules

	gate   *gate
	failed atomic.Bool
}

// Generate reasons if it is told to.
func (a *author) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	resp, err := a.Rules.Generate(ctx, req)
	if err == nil && strings.HasPrefix(lastText(req), "think") {
		answer := *resp.AI()
		answer.Content = abi.Blocks(abi.ReasoningBlock("The clock strikes twelve.", ""), abi.TextBlock(answer.Content.Text()))
		return model.Reply(answer), nil
	}
	return resp, err
}

// Stream writes in pieces. Before the last one of a slow answer it waits for the gate.
func (a *author) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
	last := lastText(req)
	return func(yield func(model.Chunk, error) bool) {
		if strings.HasPrefix(last, "flaky") && !a.failed.Swap(true) {
			if yield(model.Chunk{Text: "This is lost. "}, nil) {
				yield(model.Chunk{}, &model.Error{Provider: "rules", Kind: model.ErrorOverloaded, Status: 529, Retryable: true, Err: errors.New("too many ask")})
			}
			return
		}
		resp, err := a.Generate(ctx, req)
		if err != nil {
			yield(model.Chunk{}, err)
			return
		}
		if strings.HasPrefix(last, "think") {
			for _, chunk := range []model.Chunk{{Reasoning: "The clock "}, {Reasoning: "strikes twelve."}, {Text: "You said: "}} {
				if !yield(chunk, nil) {
					return
				}
				if err := a.gate.wait(ctx); err != nil {
					yield(model.Chunk{}, err)
					return
				}
			}
			yield(model.Chunk{Response: resp}, nil)
			return
		}
		for chunk, err := range a.Rules.Stream(ctx, req) {
			if !yield(chunk, err) {
				return
			}
		}
	}
}

func lastText(req *model.Request) string {
	text := ""
	for _, m := range req.Messages.All() {
		if m.Role == abi.RoleHuman {
			text = m.Content.Text()
		}
	}
	return text
}
