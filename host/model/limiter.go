package model

import (
	"context"

	"github.com/agenthost/agenthost/abi/wire"
)

// Limiter is a model that limits how often the model inside is asked, such as a rate limit. [DeciderOf] and [ModeratorOf] make
// decisions and moderations obey it.
type Limiter interface {
	Model
	// Admit waits until a call that may use so many tokens may begin. The error is an [*Error], or that of the context. After the call,
	// settle corrects the number by what was used.
	Admit(ctx context.Context, tokens int) (settle func(used uint64), err error)
}

// DeciderOf returns a model as a decision model: the model itself, or the first model inside that is one. Its calls obey the limits of
// the models around it.
func DeciderOf(m Model) (Decider, bool) {
	decider, ok := As[Decider](m)
	if limits := limitersAround[Decider](m); ok && len(limits) > 0 {
		return limitedDecider{limits, decider}, true
	}
	return decider, ok
}

// ModeratorOf returns a model as a moderator, like [DeciderOf].
func ModeratorOf(m Model) (Moderator, bool) {
	moderator, ok := As[Moderator](m)
	if limits := limitersAround[Moderator](m); ok && len(limits) > 0 {
		return limitedModerator{limits, moderator}, true
	}
	return moderator, ok
}

// limiters are the limits of a call, the outermost first.
type limiters []Limiter

// limitersAround returns the limiters around the first model that is a T.
func limitersAround[T any](m Model) limiters {
	var out limiters
	for layer := range layers(m) {
		if _, ok := layer.(T); ok {
			break
		}
		if limiter, ok := layer.(Limiter); ok {
			out = append(out, limiter)
		}
	}
	return out
}

// admit waits for all limits.
func (l limiters) admit(ctx context.Context, tokens int) (settle func(used uint64), err error) {
	settled := make([]func(uint64), len(l))
	for i, limiter := range l {
		if settled[i], err = limiter.Admit(ctx, tokens); err != nil {
			return nil, err
		}
	}
	return func(used uint64) {
		for _, settle := range settled {
			settle(used)
		}
	}, nil
}

type limitedDecider struct {
	limits  limiters
	decider Decider
}

// Decide answers the questions when the limits allow it.
func (d limitedDecider) Decide(ctx context.Context, req *DecisionRequest) (*Decisions, error) {
	tokens := tokensIn(req.State)
	for _, question := range req.Questions {
		tokens += len(question.Instructions)/charactersPerToken + tokensIn(question.Criteria.Raw())
	}
	settle, err := d.limits.admit(ctx, tokens)
	if err != nil {
		return nil, err
	}
	answers, err := d.decider.Decide(ctx, req)
	if err == nil && answers != nil && answers.Usage.TotalTokens > 0 {
		settle(answers.Usage.TotalTokens)
	}
	return answers, err
}

func tokensIn(value wire.Raw) int { return (len(value) + charactersPerToken - 1) / charactersPerToken }

type limitedModerator struct {
	limits    limiters
	moderator Moderator
}

// Moderate judges a text when the limits allow it. Nothing reports the tokens that it used, so the estimate counts.
func (m limitedModerator) Moderate(ctx context.Context, moderation, text string) (*Moderation, error) {
	if _, err := m.limits.admit(ctx, tokensIn(wire.String(text))); err != nil {
		return nil, err
	}
	return m.moderator.Moderate(ctx, moderation, text)
}
