package model

import (
	"context"

	"github.com/agenthost/agenthost/abi/wire"
)

// Moderator is a model, or the service of one, that judges whether a text is harmful. Its methods may be called from several
// goroutines at once.
type Moderator interface {
	// Moderate judges a text with a moderation model of the service, such as "omni-moderation-latest".
	Moderate(ctx context.Context, moderation, text string) (*Moderation, error)
}

// Moderation is the judgement of a [Moderator].
type Moderation struct {
	Flagged    bool
	Categories []string // the flagged ones, such as "self_harm"
	Scores     wire.Map // by category, from 0 to 1
}
