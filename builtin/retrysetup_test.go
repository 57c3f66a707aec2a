package builtin_test

import (
	"context"
	"iter"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
)

// asked is a model that notes what it is asked, and answers, from the n-th call on, as fn says.
type asked struct {
	info model.Info
	fn   func(ctx context.Context, n int) (string, error) // n from 1

	mu       sync.Mutex
	requests []*model.Request
}

func (a *asked) Info() model.Info { return a.info }

func (a *asked) Generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	a.mu.Lock()
	a.requests = append(a.requests, req)
	n := len(a.requests)
	a.mu.Unlock()
	text, err := a.fn(ctx, n)
	if err != nil {
		return nil, err
	}
	return model.Reply(abi.AI(text)), nil
}

// Stream says half of a text before it fails.
func (a *asked) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		resp, err := a.Generate(ctx, req)
		if err != nil {
			if yield(model.Chunk{Text: "half of "}, nil) {
				yield(model.Chunk{}, err)
			}
			return
		}
		_ = yield(model.Chunk{Text: resp.AI().Content.Text()}, nil) && yield(model.Chunk{Response: resp}, nil)
	}
}

// failing is a model whose first calls fail with these errors, and which then answers with its name.
func failing(name string, errs ...error) *asked {
	return &asked{info: model.Info{Name: name}, fn: func(_ context.Context, n int) (string, error) {
		if n <= len(errs) {
			return "", errs[n-1]
		}
		return name + " answers", nil
	}}
}

// always is a model that fails with an error each time.
func always(name string, err error) *asked {
	return &asked{info: model.Info{Name: name}, fn: func(context.Context, int) (string, error) { return "", err }}
}

func (a *asked) calls() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.requests)
}

// trial is one run of an agent of a model, and what it told.
type trial struct {
	result *host.Result
	warned []string
	tokens []string // "2: text"
	models []string // that were called, with a ! where they failed
}

// try runs an agent once.
func try(ctx context.Context, t testing.TB, config host.Config) (trial, error) {
	t.Helper()
	agent, err := host.New(config)
	require.NoError(t, err)
	defer func() { require.NoError(t, agent.Close()) }()
	return tryAgent(ctx, agent, host.Input{Messages: []abi.Message{abi.Human("go")}})
}

func tryAgent(ctx context.Context, agent *host.Agent, input host.Input) (out trial, err error) {
	out.result, err = agent.RunEvents(ctx, input, func(e host.Event) error {
		switch e.Type {
		case host.EventWarn:
			out.warned = append(out.warned, e.Text)
		case host.EventToken:
			out.tokens = append(out.tokens, string(rune('0'+e.Index))+": "+e.Text)
		case host.EventModel:
			failed := ""
			if e.Error != nil {
				failed = "!"
			}
			out.models = append(out.models, e.Model+failed)
		default:
		}
		return nil
	})
	return out, err
}

// seeds gives the same numbers each time.
func seeds(first uint64) func() uint64 { return func() uint64 { first++; return first } }
