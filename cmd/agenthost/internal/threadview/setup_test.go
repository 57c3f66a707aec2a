package threadview_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/tool"
)

// bench is an agent with threads to show. Its clock does not move.
type bench struct {
	t     *testing.T
	store checkpoint.Store
	agent *host.Agent
}

type note struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

func write(_ context.Context, n note) (string, error) { return "wrote " + n.Path, nil }

// mood is a field of the agent's own.
var mood = host.NewField[string]("mood")

// setup returns an agent whose model takes these turns. Each write needs a decision.
func setup(t *testing.T, turns ...scripted.Turn) *bench {
	t.Helper()
	b := &bench{t: t, store: memory.New()}
	seed := uint64(0)
	var err error
	b.agent, err = host.New(host.Config{
		Name: "bot", Model: scripted.NewTurns(turns...), Tools: []host.Tool{tool.Func("write", "Writes.", write)}, State: []host.Field{mood.Field},
		Middleware: []host.Middleware{builtin.HumanInTheLoop{InterruptOn: map[string]builtin.ReviewPolicy{"write": builtin.AnyDecision()}}},
		Clock:      func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }, Checkpointer: b.store,
		Seed: func() uint64 { seed++; return seed },
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.agent.Close()) })
	return b
}

func (b *bench) run(in host.Input) *host.Result {
	b.t.Helper()
	in.Thread = "ada"
	result, err := b.agent.Run(b.t.Context(), in)
	require.NoError(b.t, err)
	return result
}

func (b *bench) say(text string) *host.Result {
	b.t.Helper()
	return b.run(host.Input{Messages: []abi.Message{abi.Human(text)}})
}

// writes returns a turn with calls of write.
func writes(calls ...abi.ToolCall) scripted.Turn { return scripted.CallTools(calls...) }

func call(id, path, text string) abi.ToolCall {
	return abi.Call(id, "write", map[string]any{"path": path, "text": text})
}

// decisions answers the only interrupt.
func decisions(types ...string) []host.Answer {
	list := make([]any, len(types))
	for i, t := range types {
		list[i] = map[string]any{"type": t}
	}
	return []host.Answer{{Value: map[string]any{"decisions": list}, By: "ada\x1b"}}
}

// printed returns the text that a function writes.
func printed(t *testing.T, write func(*bytes.Buffer) error) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, write(&out))
	return out.String()
}

func value(t *testing.T, v any) wire.Raw {
	t.Helper()
	raw, err := host.Encode(v)
	require.NoError(t, err)
	return raw
}
