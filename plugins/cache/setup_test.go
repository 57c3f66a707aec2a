package main

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/kv"
	storememory "github.com/agenthost/agenthost/host/store/memory"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/plugins/internal/plugintest"
)

// bundle is an agent with the plugin, whose model asks for the tool lookup as often as the user's message has words and then
// says what the results were, and what the test needs to see of it.
type bundle struct {
	config map[string]any
	wasm   plugin.Wasm
	store  *kv.Store
	lookup host.Tool                             // nil: one that answers with the following
	answer func(n int) (*host.ToolOutput, error) // nil: what lookup knows of the word
	model  model.Model                           // nil: as above

	t     *testing.T
	agent *host.Agent
	mu    sync.Mutex
	now   time.Time
	tools int // how often lookup ran
	asked int // how often the model was asked
	lines []string
}

func newBundle(t *testing.T, config map[string]any) *bundle {
	t.Helper()
	return &bundle{
		t: t, config: config, store: kv.New(storememory.New(), ""), now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		wasm: plugin.Wasm{Path: "cache.wasm", Engine: plugintest.Engine, Grant: plugin.Grant{KV: &plugin.KVGrant{}}},
	}
}

// start builds the agent.
func (b *bundle) start() {
	b.t.Helper()
	b.wasm.Config, b.wasm.KV = b.config, b.store
	if b.model == nil {
		b.model = b
	}
	if b.lookup == nil {
		b.lookup = tool.Func("lookup", "Looks up.", b.look)
	}
	agent, err := host.New(host.Config{
		Model: b.model, Tools: []host.Tool{b.lookup}, Middleware: []host.Middleware{b.wasm}, Checkpointer: memory.New(),
		Clock: b.clock, Logger: slog.New(slog.NewTextHandler(b, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	require.NoError(b.t, err)
	b.t.Cleanup(func() { require.NoError(b.t, agent.Close()) })
	b.agent = agent
}

// run runs the agent on a thread, or without one.
func (b *bundle) run(thread, input string) (*host.Result, error) {
	b.t.Helper()
	if b.agent == nil {
		b.start()
	}
	return b.agent.Run(b.t.Context(), host.Input{Thread: thread, Messages: []abi.Message{abi.Human(input)}})
}

// did runs the agent and returns what the run counted.
func (b *bundle) did(thread, input string) string {
	b.t.Helper()
	result, err := b.run(thread, input)
	require.NoError(b.t, err)
	return result.State.Raw().JSON()
}

func (b *bundle) look(_ context.Context, args struct {
	Word string `json:"word"`
},
) (*host.ToolOutput, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tools++
	if b.answer != nil {
		return b.answer(b.tools)
	}
	return host.TextOutput(args.Word + " tide"), nil
}

func (b *bundle) clock() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now
}

func (b *bundle) wait(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now = b.now.Add(d)
}

// Write takes the log's lines.
func (b *bundle) Write(line []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lines = append(b.lines, string(line))
	return len(line), nil
}

func (*bundle) Info() model.Info { return model.Info{Name: "clerk"} }

// Generate asks for the tool once for each word, with ids that never come again, and then says what it was told.
func (b *bundle) Generate(_ context.Context, req *model.Request) (*model.Response, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked++
	var results []string
	var words string
	for _, m := range req.Messages.All() {
		switch m.Role {
		case abi.RoleHuman:
			words, results = m.Content.Text(), nil
		case abi.RoleTool:
			results = append(results, m.Content.Text())
		default: // what it said itself
		}
	}
	var reply abi.Message
	if results == nil {
		for i, word := range strings.Fields(words) {
			reply.ToolCalls = append(reply.ToolCalls, abi.Call(fmt.Sprintf("call-%d-%d", b.asked, i), "lookup", map[string]any{"word": word}))
		}
	} else {
		reply.Content = abi.Text(strings.Join(results, ", "))
	}
	reply.Usage = &abi.Usage{InputTokens: 10, OutputTokens: 5, TotalTokens: 15}
	return model.Reply(reply), nil
}

// tools is a configuration that caches nothing but results of lookup.
func tools(more map[string]any) map[string]any {
	config := map[string]any{"model": false, "tools": []any{"lookup"}}
	maps.Copy(config, more)
	return config
}
