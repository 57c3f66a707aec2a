package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/bench/peer"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
)

const longRun = 51 // rounds

// loop measures a round.
func loop(name string, seconds float64) (*peer.Result, error) {
	shape, err := peer.LoopOf(name)
	if err != nil {
		return nil, err
	}
	agents := map[int]*looped{}
	return shape.Measure(seconds, func(rounds int, begin, end func()) (peer.Tally, error) {
		if agents[rounds] == nil {
			agent, err := newLooped(shape, rounds)
			if err != nil {
				return peer.Tally{}, err
			}
			agents[rounds] = agent
		}
		return agents[rounds].run(begin, end)
	})
}

// looped is an agent whose runs have so many rounds.
type looped struct {
	shape      peer.Loop
	agent      *host.Agent
	model      *rounds
	executions int
	store      checkpoint.Store
	history    []abi.Message
	threads    int
}

func newLooped(shape peer.Loop, n int) (*looped, error) {
	l := &looped{shape: shape, model: newRounds(n, shape.Calls), history: history(shape.History)}
	config := host.Config{Model: l.model, Tools: []host.Tool{search("result", &l.executions)}}
	for i := range shape.Middlewares {
		config.Middleware = append(config.Middleware, nothing(fmt.Sprint("noop", i)))
	}
	if shape.Memory {
		l.store = memory.New()
		config.Checkpointer = l.store
	}
	var err error
	l.agent, err = host.New(config)
	return l, err
}

func (l *looped) run(begin, end func()) (peer.Tally, error) {
	ctx := context.Background()
	in := host.Input{Messages: []abi.Message{abi.Human("hi")}}
	switch {
	case l.shape.Memory:
		l.threads++
		in.Thread = fmt.Sprint("thread-", l.threads)
		if l.shape.History > 0 {
			l.model.calls = l.model.n // so that it says "done", which is the last of the history
			if _, err := l.agent.Run(ctx, host.Input{Thread: in.Thread, Messages: l.history[:l.shape.History-1]}); err != nil {
				return peer.Tally{}, err
			}
		}
	case l.shape.History > 0:
		in.Messages = slices.Concat(l.history, in.Messages)
	}
	l.model.calls, l.executions = 0, 0
	begin()
	result, err := l.agent.Run(ctx, in)
	end()
	if err != nil {
		return peer.Tally{}, err
	}
	messages := result.Messages
	if l.shape.Memory {
		snapshot, err := l.agent.State(ctx, in.Thread, 0)
		if err != nil {
			return peer.Tally{}, err
		}
		messages = snapshot.Messages
		if err := l.store.Delete(ctx, in.Thread); err != nil {
			return peer.Tally{}, err
		}
	}
	last := messages.At(messages.Len() - 1)
	return peer.Tally{Calls: l.model.calls, Tools: l.executions, Messages: messages.Len(), Last: last.Content.Text()}, nil
}

// nothing is a middleware that does nothing before each call of the model.
func nothing(name string) host.Middleware {
	return host.BeforeModel(name, func(context.Context, *host.Runtime) (*host.Update, error) { return nil, nil })
}

// history is a conversation of so many messages.
func history(n int) []abi.Message {
	messages := make([]abi.Message, n)
	for i := range messages {
		text := fmt.Sprint("message ", i)
		if i%2 == 0 {
			messages[i] = abi.Human(text)
		} else {
			messages[i] = abi.AI(text)
		}
	}
	return messages
}

// kilobyte is the text that the hook of the suite hooks reads.
var kilobyte = strings.Repeat("0123456789abcdef", 64)
