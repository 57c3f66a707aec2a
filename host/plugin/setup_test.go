package plugin_test

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/tool"
)

// searcher is a model that asks for the tool search after a human message, with the call call-1, and else says done.
type searcher struct{ calls atomic.Int64 }

func (s *searcher) Info() model.Info { return model.Info{Name: "searcher"} }

func (s *searcher) Generate(_ context.Context, req *model.Request) (*model.Response, error) {
	s.calls.Add(1)
	if m, ok := req.Messages.Last(); ok && m.Role == abi.RoleTool {
		return model.Reply(abi.AI("done")), nil
	}
	return model.Reply(abi.AI("", abi.Call("call-1", "search", map[string]any{"q": "x"}))), nil
}

// Calls returns how often the model was called.
func (s *searcher) Calls() int { return int(s.calls.Load()) }

// testBundle is an agent around one plugin: its model asks for the tool search once and then says done.
type testBundle struct {
	agent  *host.Agent
	model  *searcher
	ran    atomic.Int64 // how often the tool search ran
	logged logBuffer
}

// setup builds an agent around a plugin and closes it when the test ends.
func setup(t testing.TB, w plugin.Wasm, change ...func(*host.Config)) *testBundle {
	t.Helper()
	b, config := newBundle(w, change...)
	agent, err := host.New(config)
	require.NoError(t, err)
	b.agent = agent
	t.Cleanup(func() { require.NoError(t, agent.Close()) })
	return b
}

func newBundle(w plugin.Wasm, change ...func(*host.Config)) (*testBundle, host.Config) {
	if w.ID == "" {
		w.ID = "bad"
	}
	if w.Engine == nil {
		w.Engine = compiled
	}
	b := &testBundle{model: &searcher{}}
	search := tool.Raw(abi.ToolSpec{Name: "search"}, func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
		b.ran.Add(1)
		return host.TextOutput("found"), nil
	})
	config := host.Config{
		Model: b.model, Tools: []host.Tool{search}, Middleware: []host.Middleware{w}, Logger: slog.New(&b.logged),
		Seed: func() uint64 { return 7 }, Clock: func() time.Time { return time.Unix(1_700_000_000, 0) },
	}
	for _, f := range change {
		f(&config)
	}
	return b, config
}

// run streams one run with this input and returns its events and error.
func (b *testBundle) run(t testing.TB, messages ...abi.Message) ([]host.Event, error) {
	t.Helper()
	if len(messages) == 0 {
		messages = []abi.Message{{Role: abi.RoleHuman, ID: "h1", Content: abi.Text("hi")}}
	}
	var events []host.Event
	for event, err := range b.agent.Stream(t.Context(), host.Input{Messages: messages}) {
		if err != nil {
			return events, err
		}
		events = append(events, event)
	}
	return events, nil
}

// loadError returns the fault of a plugin that does not load.
func loadError(t *testing.T, w plugin.Wasm) *plugin.Error {
	t.Helper()
	_, config := newBundle(w)
	agent, err := host.New(config)
	if err == nil {
		require.NoError(t, agent.Close())
	}
	return faultIn(t, err)
}

func faultIn(t testing.TB, err error) *plugin.Error {
	t.Helper()
	var fault *plugin.Error
	require.ErrorAs(t, err, &fault)
	require.Equal(t, "bad", fault.Plugin)
	require.Regexp(t, "^sha256:[0-9a-f]{12}$", fault.Digest)
	return fault
}

// instances returns which instances of the plugin hooks ran in.
func instances(events []host.Event) []uint64 {
	var ids []uint64
	for i := range events {
		if events[i].Type == host.EventHook && events[i].Instance != 0 {
			ids = append(ids, events[i].Instance)
		}
	}
	return ids
}

// warnings returns the texts of the warn events.
func warnings(events []host.Event) []string {
	var texts []string
	for i := range events {
		if events[i].Type == host.EventWarn {
			texts = append(texts, events[i].Text)
		}
	}
	return texts
}

func last(events []host.Event) host.Event { return events[len(events)-1] }
