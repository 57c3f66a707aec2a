package hostile_test

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/tool"
)

// searcher is a model that calls the tool search after a human message, and otherwise says done.
type searcher struct{}

func (searcher) Info() model.Info { return model.Info{Name: "searcher"} }

func (searcher) Generate(_ context.Context, req *model.Request) (*model.Response, error) {
	if m, ok := req.Messages.Last(); ok && m.Role == abi.RoleTool {
		return model.Reply(abi.AI("done")), nil
	}
	return model.Reply(abi.AI("", abi.Call("call-1", "search", map[string]any{"q": "x"}))), nil
}

// bundle is an agent, and all text that it sent to the outside.
type bundle struct {
	agent  *host.Agent
	config host.Config
	said   journal
	ran    int // how often the tool search ran
}

// newBundle configures an agent with these plugins.
func newBundle(plugins ...plugin.Wasm) *bundle {
	b := &bundle{}
	search := tool.Raw(abi.ToolSpec{Name: "search"}, func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
		b.ran++
		return host.TextOutput("found"), nil
	})
	b.config = host.Config{
		Model: searcher{}, Tools: []host.Tool{search}, Logger: slog.New(&b.said),
		Seed: func() uint64 { return 7 }, Clock: func() time.Time { return time.Unix(1_700_000_000, 0) },
	}
	for _, w := range plugins {
		b.config.Middleware = append(b.config.Middleware, w)
	}
	return b
}

// load builds the agent. It also records the text of an error.
func (b *bundle) load() error {
	agent, err := host.New(b.config)
	b.agent = agent
	b.said.err(err)
	return err
}

func (b *bundle) close(t testing.TB) {
	t.Helper()
	if b.agent != nil {
		require.NoError(t, b.agent.Close())
	}
}

// outcome is how a run ended.
type outcome struct {
	err       error
	status    host.Status
	state     wire.Map
	instances []uint64 // of the plugin named bad
	took      time.Duration
}

// run streams one run.
func (b *bundle) run(t testing.TB) outcome {
	t.Helper()
	var out outcome
	start := time.Now()
	input := host.Input{Messages: []abi.Message{{Role: abi.RoleHuman, ID: "h1", Content: abi.Text("hi")}}}
	result, err := b.agent.RunEvents(t.Context(), input, func(event host.Event) error {
		b.said.event(&event)
		if event.Type == host.EventHook && event.Instance != 0 && strings.HasPrefix(event.Step, "bad.") {
			out.instances = append(out.instances, event.Instance)
		}
		return nil
	})
	b.said.err(err)
	out.err = err
	if result != nil {
		out.status, out.state = result.Status, result.State
	}
	out.took = time.Since(start)
	return out
}

// journal records all texts that reach logs, readable events, and errors. It is a slog.Handler.
type journal struct {
	mu    sync.Mutex
	texts []string
}

func (j *journal) say(texts ...string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.texts = append(j.texts, texts...)
}

func (j *journal) err(err error) {
	if err != nil {
		j.say(err.Error())
	}
}

func (j *journal) event(e *host.Event) {
	j.say(e.Text, e.Name, e.Step)
	if e.Error != nil {
		j.say(e.Error.Type, e.Error.Message)
	}
}

func (j *journal) Enabled(context.Context, slog.Level) bool { return true }

func (j *journal) Handle(_ context.Context, r slog.Record) error {
	j.say(r.Message)
	r.Attrs(func(a slog.Attr) bool {
		j.say(a.Key, a.Value.String())
		return true
	})
	return nil
}

func (j *journal) WithAttrs([]slog.Attr) slog.Handler { return j }
func (j *journal) WithGroup(string) slog.Handler      { return j }

// requireClean checks that no recorded text can control a terminal or reverse the direction of text.
func (j *journal) requireClean(t testing.TB) {
	t.Helper()
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, text := range j.texts {
		requireClean(t, text)
	}
}

func requireClean(t testing.TB, text string) {
	t.Helper()
	for _, r := range text {
		bad := (unicode.IsControl(r) && r != '\n') || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
		require.False(t, bad, "%U in %q", r, text[:min(len(text), 500)])
	}
}
