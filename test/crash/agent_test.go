//go:build unix

package crash_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/model"
)

// The fields of the thread.
const (
	fieldTurn    = "turn"    // number of turns that have begun
	fieldSent    = "sent"    // counts the effects of tools, through the tools' updates
	fieldSeen    = "seen"    // counts the messages that hooks with the view new have seen
	fieldAnswers = "answers" // counts the responses of the run
	fieldWrapped = "wrapped" // counts tool calls that went through the retrying hook
	fieldLast    = "last"    // lives for one step
)

// newAgent makes the agent of a plan. The counter next says which turn a new run begins; ids are derived from it.
func newAgent(p *plan, store checkpoint.Store, w *world, next *atomic.Int64, change func(*host.Config)) (*host.Agent, error) {
	config := host.Config{
		Name: "crash", Model: follows{p}, Tools: w.tools(), Checkpointer: store, Durability: p.durability,
		State: []host.Field{
			{Name: fieldTurn},
			{Name: fieldSent, Reducer: host.Add()},
			{Name: fieldSeen, Reducer: host.Add()},
			{Name: fieldAnswers, Lifetime: host.LifetimeRun, Reducer: host.Add()},
			{Name: fieldWrapped, Reducer: host.Add()},
			{Name: fieldLast, Lifetime: host.LifetimeStep},
		},
		ToolCalls: host.ToolCallConfig{Parallel: p.parallel},
		Seed:      func() uint64 { return p.seed<<8 + uint64(next.Load()) },
	}
	if p.hooks {
		config.Middleware = middleware(p)
	}
	if change != nil {
		change(&config)
	}
	return host.New(config)
}

// follows is a model that answers according to the plan. Its answers depend only on the history, whichever process
// asks.
type follows struct{ *plan }

func (follows) Info() model.Info { return model.Info{Name: "plan"} }

func (m follows) Generate(_ context.Context, req *model.Request) (*model.Response, error) {
	at, round := -1, 0
	for _, message := range req.Messages.All() {
		if message.Role == abi.RoleAI {
			round++
		}
		if message.Role != abi.RoleHuman {
			continue
		}
		if _, err := fmt.Sscanf(message.Content.Text(), "turn %d", &at); err == nil {
			round = 0
		}
	}
	if at < 0 || at >= len(m.turns) || round > len(m.turns[at].rounds) {
		return nil, fmt.Errorf("the history is not that of the plan: turn %d, round %d", at, round)
	}
	answer := abi.AI(fmt.Sprintf("that was turn %d", at))
	if round < len(m.turns[at].rounds) {
		answer = abi.AI(fmt.Sprintf("round %d", round), m.turns[at].rounds[round]...)
	}
	n := uint64(req.Messages.Len())
	answer.Usage = &abi.Usage{InputTokens: n, OutputTokens: 1, TotalTokens: n + 1}
	return model.Reply(answer), nil
}

// maxTries is the number of attempts of the retrying hook.
const maxTries = 3

// middleware returns one hook of every kind: views of new messages, fields, a question, tool calls, a retry.
func middleware(p *plan) []host.Middleware {
	return []host.Middleware{
		host.BeforeAgent("begins", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
			update := adding(fieldSeen, rt.View().Items.Len())
			if turnOf(rt)%2 == 0 {
				return update, nil
			}
			_, err := rt.Interrupt("begin", wire.String("may I?"))
			return update, err
		}, host.WithView(abi.ViewNew())),
		host.BeforeModel("rings", func(ctx context.Context, rt *host.Runtime) (*host.Update, error) {
			if rt.State().Messages().Len()%2 == 0 {
				return adding(fieldSeen, rt.View().Items.Len()), nil
			}
			args := wire.Map{{Key: "messages", Value: wire.Int(int64(rt.State().Messages().Len()))}}
			_, err := rt.CallTool(ctx, toolRing, args.Raw())
			return adding(fieldSeen, rt.View().Items.Len()), err
		}, host.WithView(abi.ViewNew())),
		host.WrapModelCall("passes", func(
			ctx context.Context, _ *host.Runtime, req *model.Request, next host.ModelHandler,
		) (*model.Response, *host.Update, error) {
			resp, err := next(ctx, req)
			return resp, adding(fieldAnswers, 1), err
		}),
		host.AfterModel("marks", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
			u := &host.Update{}
			u.State.Set(fieldLast, wire.Int(int64(rt.State().Messages().Len())))
			return u, nil
		}),
		host.WrapToolCall("retries", retries, host.OnlyTools(toolFlaky)),
		host.AfterAgent("sums up", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
			if at := turnOf(rt); !p.turns[at].summary {
				return nil, nil
			}
			text := fmt.Sprintf("there were %d messages", rt.State().Messages().Len())
			return &host.Update{Overwrite: true, Messages: []abi.Message{abi.Human(text)}}, nil
		}),
	}
}

// turnOf returns the number of the run's turn, from 0.
func turnOf(rt *host.Runtime) int {
	n, _ := rt.State().Get(fieldTurn).AsInt()
	return int(n) - 1
}

func adding(field string, n int) *host.Update {
	u := &host.Update{}
	u.State.Set(field, wire.Int(int64(n)))
	return u
}

// retries repeats a call when its tool fails.
func retries(
	ctx context.Context, _ *host.Runtime, req *host.ToolRequest, next host.ToolHandler,
) (*abi.Message, *host.Update, error) {
	for try := 1; ; try++ {
		message, err := next(ctx, req)
		if err == nil || host.IsControlFlow(err) || try == maxTries {
			return message, adding(fieldWrapped, 1), err
		}
	}
}

var errUnlucky = errors.New("unlucky this time")
