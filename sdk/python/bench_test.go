package python_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/sdk/python"
)

const counter = `
from agenthost import Field, after_model, plugin

plugin(fields=[Field("chars", int, reducer="add")])

@after_model(messages=1)
def count(state, runtime):
    return {"chars": len(state["messages"][-1].content)}
`

func hooks(b *testing.B, source string) *host.Hooks {
	b.Helper()
	module, err := python.Plugin(python.Script{File: "bench.py", Files: map[string]string{"bench.py": source}})
	require.NoError(b, err)
	w := plugin.Wasm{ID: "bench", Bytes: module, Engine: compiled, Limits: plugin.Limits{Deadline: time.Minute}}
	made, err := w.Hooks(b.Context(), host.Env{Name: "bench", Logger: slog.New(slog.DiscardHandler)})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, made.Close()) })
	return made
}

// BenchmarkHook1KB measures a hook that reads a message of 1 KB and adds its length to a field.
func BenchmarkHook1KB(b *testing.B) {
	hook := hooks(b, counter).AfterModel
	loop := host.AfterModel("loop", func(ctx context.Context, rt *host.Runtime) (*host.Update, error) {
		b.ReportAllocs()
		for b.Loop() {
			_, err := hook.Func(ctx, rt)
			require.NoError(b, err)
		}
		return nil, nil
	}, host.WithView(hook.View))
	agent, err := host.New(host.Config{
		Model: scripted.NewTurns(scripted.Say(strings.Repeat("0123456789abcdef", 64))), Middleware: []host.Middleware{loop},
		State: []host.Field{{Name: "chars", Reducer: host.Add()}},
	})
	require.NoError(b, err)
	_, err = agent.Run(b.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}})
	require.NoError(b, err)
	require.NoError(b, agent.Close())
}

// BenchmarkStart measures a plugin from its script to an instance; the engine is compiled already.
func BenchmarkStart(b *testing.B) {
	hooks(b, counter)
	for name, source := range map[string]string{"plain": counter, "library": "import re, json, dataclasses, typing, enum, datetime\n" + counter} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				hooks(b, source)
			}
		})
	}
}
