package ratelimit

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
)

// Model is a model whose calls wait until the limit of its account allows them. The wait does not count for the model's own time limits.
type Model struct {
	model.Model

	limit Limit
}

var (
	_ model.Streamer = (*Model)(nil)
	_ model.Noticer  = (*Model)(nil)
	_ model.Limiter  = (*Model)(nil)
)

// New returns a model whose calls obey the limit. If other models of the account were opened, the limit of the last one counts, also for
// a model whose own limit is zero.
func New(m model.Model, limit Limit) *Model { return &Model{m, limit} }

// Open makes the limit that of all models in this process which use the same account and the same model. The returned function ends that.
// Without Open, the limit counts only for models that have one themselves. Open does nothing for a limit of zero.
func (m *Model) Open() (end func()) {
	if m.limit.isZero() {
		return func() {}
	}
	return accounts.add(m)
}

// Notices reports that long waits are reported.
func (*Model) Notices() bool { return true }

// Unwrap returns the inner model, for [model.As].
func (m *Model) Unwrap() model.Model { return m.Model }

// Generate answers a request. It fails with a [*model.Error] of the kind [model.ErrorRateLimit] if the call would have to wait for longer
// than the limit allows.
func (m *Model) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	settle, err := m.wait(ctx, req)
	if err != nil {
		return nil, err
	}
	resp, err := m.Model.Generate(ctx, req)
	settle(resp)
	return resp, err
}

// Stream answers a request in chunks. It fails as Generate does.
func (m *Model) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		settle, err := m.wait(ctx, req)
		if err != nil {
			yield(model.Chunk{}, err)
			return
		}
		streamer, ok := m.Model.(model.Streamer)
		if !ok {
			resp, err := m.Model.Generate(ctx, req)
			settle(resp)
			yield(model.Chunk{Response: resp}, err)
			return
		}
		for chunk, err := range streamer.Stream(ctx, req) {
			settle(chunk.Response)
			if !yield(chunk, err) {
				return
			}
		}
	}
}

// wait waits for the call's turn. settle corrects the count of tokens by the response, which may be nil.
func (m *Model) wait(ctx context.Context, req *model.Request) (settle func(*model.Response), err error) {
	used, err := m.admit(ctx, func() int { return tokensOf(m.Model, req) })
	if err != nil {
		return nil, err
	}
	return func(resp *model.Response) {
		if resp == nil {
			return
		}
		if ai := resp.AI(); ai != nil && ai.Usage != nil {
			used(ai.Usage.TotalTokens)
		}
	}, nil
}

// Admit waits until a call of another kind may begin, for example a decision. It fails as Generate does.
func (m *Model) Admit(ctx context.Context, tokens int) (settle func(used uint64), err error) {
	return m.admit(ctx, func() int { return tokens })
}

// admit waits for the turn of a call. The number of its tokens is only estimated if there is a limit for it.
func (m *Model) admit(ctx context.Context, tokens func() int) (settle func(used uint64), err error) {
	l, limit := accounts.limiter(m)
	if l == nil {
		return func(uint64) {}, nil
	}
	estimate := 0
	if limit.TokensPerMinute > 0 {
		estimate = tokens()
	}
	estimate, err = l.wait(ctx, estimate, limit.maxWait(), func() {
		model.Notice(ctx, fmt.Sprintf("the model %s waits because of its rate_limit of %v", m.Info().Name, limit))
	})
	if errors.Is(err, errNoRoom) {
		info := m.Info()
		err = &model.Error{
			Provider: info.Provider, Kind: model.ErrorRateLimit, Retryable: true,
			Err: fmt.Errorf("its rate_limit of %v leaves %w, %v; raise the limit or max_wait, or use fewer agents at once", limit, err, limit.maxWait()),
		}
	}
	if err != nil {
		return nil, err
	}
	return func(used uint64) { l.settle(estimate, used) }, nil
}

// tokensOf estimates the tokens of a request.
func tokensOf(m model.Model, req *model.Request) int {
	system := abi.Message{Content: req.System}
	total := model.CountTokens(m, &system)
	for _, message := range req.Messages.All() {
		total += model.CountTokens(m, message)
	}
	for i := range req.Tools {
		total += req.Tools[i].Msgsize() / 4 // as in model.CountTokens
	}
	return total
}
