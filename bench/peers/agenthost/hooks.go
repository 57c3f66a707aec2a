package main

import (
	"context"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/bench/peer"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin"
)

// hooks measures a call of a hook: the difference between runs with it and runs without.
func hooks(name string, seconds float64) (*peer.Result, error) {
	middleware, stop, err := place(name)
	if err != nil {
		return nil, err
	}
	defer stop()
	without, err := hooked(nil)
	if err != nil {
		return nil, err
	}
	with, err := hooked(middleware)
	if err != nil {
		return nil, err
	}
	return peer.Slope(seconds, without, with, longRun+1, longRun+1)
}

// hooked is a run of 51 rounds with the middleware, or with none.
func hooked(middleware host.Middleware) (peer.Run, error) {
	m := newRounds(longRun, 1)
	config := host.Config{
		Model: m, Tools: []host.Tool{search(kilobyte, new(int))},
	}
	if middleware != nil {
		config.Middleware = []host.Middleware{middleware}
		if _, own := middleware.(plugin.Wasm); !own { // a plugin declares it itself
			config.State = []host.Field{{Name: "chars", Reducer: host.Add()}}
		}
	}
	agent, err := host.New(config)
	if err != nil {
		return nil, err
	}
	return func(begin, end func()) (string, error) {
		m.calls = 0
		begin()
		result, err := agent.Run(context.Background(), host.Input{Messages: []abi.Message{abi.Human(kilobyte)}})
		end()
		if err != nil {
			return "", err
		}
		chars, _ := result.State.Get("chars").AsInt()
		return fmt.Sprintf("calls=%d chars=%d", m.calls, chars), nil
	}, nil
}

// counted is what the hook does with a message.
func counted(m abi.Message) wire.Map {
	return wire.Map{{Key: "chars", Value: wire.Int(int64(len(m.Content.Text())))}}
}

// native is the hook as a function of the host's.
func native() host.Middleware {
	return host.BeforeModel("native", func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
		return &host.Update{State: counted(rt.View().Items.At(0))}, nil
	}, host.WithView(abi.ViewLast(1)))
}
