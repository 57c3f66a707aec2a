package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/bench/peer"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
)

// shape is what a case of the suite loop adds to a plain agent.
type shape struct {
	middlewares, width, history int
	memory                      bool
}

var shapes = map[string]shape{
	"plain":            {width: 1},
	"five":             {width: 1, middlewares: 5},
	"memory":           {width: 1, memory: true},
	"five-memory":      {width: 1, middlewares: 5, memory: true},
	"parallel8":        {width: 8},
	"plain-2000":       {width: 1, history: 2000},
	"five-memory-2000": {width: 1, middlewares: 5, memory: true, history: 2000},
}

const longRun = 51 // rounds

// loop measures a round: the slope from runs of 1 round to runs of 51.
func loop(name string, seconds float64) (*peer.Result, error) {
	shape, ok := shapes[name]
	if !ok {
		return nil, peer.Absent("it has no case " + name)
	}
	return peer.Slope(seconds, shape.run(1), shape.run(longRun), longRun-1, longRun)
}

// run is a run of so many rounds of an agent that is made once.
func (s shape) run(n int) peer.Run {
	m := newRounds(n, s.width)
	executions := 0
	config := host.Config{Model: m, Tools: []host.Tool{search("result", &executions)}}
	for i := range s.middlewares {
		config.Middleware = append(config.Middleware, nothing(fmt.Sprint("noop", i)))
	}
	var store checkpoint.Store
	if s.memory {
		store = memory.New()
		config.Checkpointer = store
	}
	agent, err := host.New(config)
	before := history(s.history)
	thread := 0
	return func(begin, end func()) (string, error) {
		if err != nil {
			return "", err
		}
		ctx := context.Background()
		in := host.Input{Messages: []abi.Message{abi.Human("hi")}}
		if s.memory {
			thread++
			in.Thread = fmt.Sprint("thread-", thread)
			if s.history > 0 {
				m.calls = n // so that it says "done", which is the last of the history
				if _, err := agent.Run(ctx, host.Input{Thread: in.Thread, Messages: before[:s.history-1]}); err != nil {
					return "", err
				}
			}
		} else {
			in.Messages = append(before[:len(before):len(before)], in.Messages...)
		}
		m.calls, executions = 0, 0
		begin()
		result, err := agent.Run(ctx, in)
		end()
		if err != nil {
			return "", err
		}
		messages := result.Messages
		if s.memory {
			snapshot, err := agent.State(ctx, in.Thread, 0)
			if err != nil {
				return "", err
			}
			messages = snapshot.Messages
			if err := store.Delete(ctx, in.Thread); err != nil {
				return "", err
			}
		}
		last := messages.At(messages.Len() - 1)
		return fmt.Sprintf("rounds=%d calls=%d tools=%d messages=%d last=%s", n, m.calls, executions, messages.Len(), last.Content.Text()), nil
	}
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
