package reference

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/test/reference/strict"
)

// ModeratorSpec is a moderator that a vector describes.
type ModeratorSpec struct{ Turns []*model.Moderation }

func readModerator(o *strict.Object) *ModeratorSpec {
	o.Need("kind", "turns")
	o.OneOf("kind", "scripted")
	m := &ModeratorSpec{}
	for _, turn := range o.Objects("turns") {
		m.Turns = append(m.Turns, readModeration(turn))
	}
	_ = o.Done()
	return m
}

// readModeration reads a judgement. One category that is true flags.
func readModeration(o *strict.Object) *model.Moderation {
	out := &model.Moderation{Scores: o.Map("scores"), Flagged: o.Bool("flagged")}
	for _, category := range o.Map("categories") {
		flagged, ok := category.Value.AsBool()
		if !ok {
			o.Fail("categories", "must be true or false")
		}
		if flagged {
			out.Categories, out.Flagged = append(out.Categories, category.Key), true
		}
	}
	_ = o.Done()
	return out
}

// moderated is a recorded request to a moderator.
type moderated struct{ model, input string }

func (m moderated) document() any { return map[string]any{"model": m.model, "input": m.input} }

// fileModerator is a moderator that answers as its file says and records its requests.
type fileModerator struct {
	spec   *ModeratorSpec
	record *recorder
	calls  atomic.Int64
}

var _ model.Moderator = (*fileModerator)(nil)

// Info describes the moderator.
func (*fileModerator) Info() model.Info { return model.Info{Name: "moderator"} }

// Generate fails, because a moderator is not a chat model.
func (*fileModerator) Generate(context.Context, *model.Request) (*model.Response, error) {
	return nil, errors.New("a moderator does not chat")
}

// Moderate gives the next judgement.
func (m *fileModerator) Moderate(_ context.Context, moderation, text string) (*model.Moderation, error) {
	m.record.moderation(moderated{moderation, text})
	n := int(m.calls.Add(1)) - 1
	if n >= len(m.spec.Turns) {
		return nil, fmt.Errorf("moderator: call %d of %d turns: %w", n+1, len(m.spec.Turns), scripted.ErrExhausted)
	}
	turn := *m.spec.Turns[n]
	if turn.Scores == nil {
		turn.Scores = wire.Map{}
	}
	return &turn, nil
}
