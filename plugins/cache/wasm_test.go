package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/kv"
	"github.com/agenthost/agenthost/host/store"
	"github.com/agenthost/agenthost/host/store/memory"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/plugins/internal/plugintest"
	"github.com/agenthost/agenthost/test/ratio"
)

func TestARunComesAgain(t *testing.T) {
	t.Parallel()
	b := newBundle(t, map[string]any{"model_scope": "plugin"})
	first, err := b.run("", "low high")
	require.NoError(t, err)
	require.Equal(t, "low tide, high tide", first.Text())
	require.Equal(t, `{"cache_hits":0,"cache_misses":2}`, first.State.Raw().JSON())
	require.Equal(t, uint64(30), first.Usage.TotalTokens)

	second, err := b.run("", "low high")
	require.NoError(t, err)
	require.Equal(t, 2, b.asked, "the model is not asked again, although the ids of calls are others")
	require.Equal(t, 4, b.tools, "tools are none that the operator listed")
	require.Equal(t, "low tide, high tide", second.Text())
	require.Equal(t, `{"cache_hits":2,"cache_misses":0}`, second.State.Raw().JSON())
	require.Zero(t, second.Usage)
	ids := map[string]bool{}
	for _, result := range []*host.Result{first, second} {
		for _, m := range result.Messages.All() {
			ids[m.ID] = true
			for _, call := range m.ToolCalls {
				ids[call.ID] = true
			}
		}
	}
	require.Len(t, ids, 2*(5+2), "nothing has an id of the first run")

	require.Equal(t, `{"cache_hits":0,"cache_misses":2}`, b.did("", "high low"), "another request")
	require.Empty(t, b.lines)
}

func TestHitsAreEvents(t *testing.T) {
	t.Parallel()
	b := newBundle(t, tools(map[string]any{"tool_scope": "plugin", "tool_ttl": "10m"}))
	b.did("", "high")
	b.wait(10*time.Minute - time.Nanosecond)
	var events []string
	for event, err := range b.agent.Stream(t.Context(), host.Input{Messages: []abi.Message{abi.Human("high")}}) {
		require.NoError(t, err)
		if event.Type == host.EventCustom {
			events = append(events, event.Name+" "+event.Data.JSON())
		}
	}
	require.Len(t, events, 1)
	require.Regexp(t, `^cache_hit \{"age_s":599,"key":"[0-9a-f]{12}","kind":"tool","name":"lookup"\}$`, events[0])
	b.wait(time.Nanosecond)
	require.Equal(t, `{"cache_hits":0,"cache_misses":1}`, b.did("", "high"), "it has expired")
	require.Equal(t, `{"cache_hits":1,"cache_misses":0}`, b.did("", "high"), "and was written anew")
	require.Equal(t, 2, b.tools)
}

// On a miss tokens stream, on a hit the reply comes at once.
func TestTokensPass(t *testing.T) {
	t.Parallel()
	b := newBundle(t, map[string]any{"model_scope": "plugin"})
	said := scripted.NewTurns(scripted.Say("At noon, I think."))
	b.model = said
	b.start()
	for _, want := range []string{"At |noon, |I |think.", ""} {
		var tokens []string
		for event, err := range b.agent.Stream(t.Context(), host.Input{Messages: []abi.Message{abi.Human("high")}}) {
			require.NoError(t, err)
			if event.Type == host.EventToken {
				tokens = append(tokens, event.Text)
			}
		}
		require.Equal(t, want, strings.Join(tokens, "|"))
	}
	require.Equal(t, 1, said.Calls())
}

func TestScopes(t *testing.T) {
	t.Parallel()
	const hit, miss = `{"cache_hits":1,"cache_misses":0}`, `{"cache_hits":0,"cache_misses":1}`
	for scope, want := range map[string][]string{ // of runs on the threads a, a, b, and on none twice
		"run":    {miss, miss, miss, miss, miss},
		"thread": {miss, hit, miss, miss, miss},
		"plugin": {miss, hit, hit, hit, hit},
	} {
		t.Run(scope, func(t *testing.T) {
			t.Parallel()
			b := newBundle(t, tools(map[string]any{"tool_scope": scope}))
			for i, thread := range []string{"a", "a", "b", "", ""} {
				require.Equal(t, want[i], b.did(thread, "high"), "run %d", i)
			}
			require.Equal(t, `{"cache_hits":0,"cache_misses":2}`, b.did("", "low low2"))
			require.Empty(t, b.lines)
		})
	}
}

func TestARunFindsItsOwnResults(t *testing.T) {
	t.Parallel()
	b := newBundle(t, tools(map[string]any{"tool_scope": "run"}))
	b.model = scripted.NewTurns(
		scripted.CallTools(abi.Call("1", "lookup", map[string]any{"word": "high"})),
		scripted.CallTools(abi.Call("1", "lookup", map[string]any{"word": "high"})), scripted.Say("done"))
	require.Equal(t, `{"cache_hits":1,"cache_misses":1}`, b.did("", "go"))
	require.Equal(t, 1, b.tools)
}

// Equal calls at once may all miss, and the last of them is kept.
func TestParallelCalls(t *testing.T) {
	t.Parallel()
	b := newBundle(t, tools(map[string]any{"tool_scope": "plugin"}))
	input := strings.Repeat("high ", 8)
	result, err := b.run("", input)
	require.NoError(t, err)
	var hit, missed int
	_, err = fmt.Sscanf(result.State.Raw().JSON(), `{"cache_hits":%d,"cache_misses":%d}`, &hit, &missed)
	require.NoError(t, err)
	require.Equal(t, 8, hit+missed)
	require.Equal(t, missed, b.tools)
	require.Equal(t, `{"cache_hits":8,"cache_misses":0}`, b.did("", input))
	require.Equal(t, missed, b.tools)
}

func TestFullStoreForgetsTheOldest(t *testing.T) {
	t.Parallel()
	b := newBundle(t, tools(map[string]any{"tool_scope": "plugin"}))
	b.wasm.Grant.KV = &plugin.KVGrant{Quota: store.Quota{Bytes: 10_000}}
	b.answer = func(int) (*host.ToolOutput, error) { return host.TextOutput(strings.Repeat("x", 1000)), nil }
	for i := range 40 { // eight fit
		require.Equal(t, `{"cache_hits":0,"cache_misses":1}`, b.did("", fmt.Sprint("word", i)))
	}
	page, err := b.store.List(t.Context(), kv.Namespace{Plugin: "cache", Scope: abi.ScopePlugin}, store.Query{})
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(page.Items), 6)
	for i := 36; i < 40; i++ {
		require.Equal(t, `{"cache_hits":1,"cache_misses":0}`, b.did("", fmt.Sprint("word", i)), "the newest are there")
	}
	require.Equal(t, `{"cache_hits":0,"cache_misses":1}`, b.did("", "word0"), "the oldest is not")

	b.answer = func(int) (*host.ToolOutput, error) { return host.TextOutput(strings.Repeat("x", 20_000)), nil }
	before, err := b.store.List(t.Context(), kv.Namespace{Plugin: "cache", Scope: abi.ScopePlugin}, store.Query{})
	require.NoError(t, err)
	require.Equal(t, `{"cache_hits":0,"cache_misses":1}`, b.did("", "huge"))
	after, err := b.store.List(t.Context(), kv.Namespace{Plugin: "cache", Scope: abi.ScopePlugin}, store.Query{})
	require.NoError(t, err)
	require.Equal(t, before, after, "what has no room even in an empty store does not empty it")
	require.Empty(t, b.lines, "none of it is worth a warning")
}

func TestQuotaOfEntries(t *testing.T) {
	t.Parallel()
	b := newBundle(t, tools(map[string]any{"tool_scope": "plugin"}))
	b.wasm.Grant.KV = &plugin.KVGrant{Quota: store.Quota{Entries: 3}}
	for i := range 10 {
		word := fmt.Sprint("word", i)
		require.Equal(t, `{"cache_hits":0,"cache_misses":1}`, b.did("", word))
		require.Equal(t, `{"cache_hits":1,"cache_misses":0}`, b.did("", word))
	}
}

func TestLargeResultsAreNotKept(t *testing.T) {
	t.Parallel()
	b := newBundle(t, tools(map[string]any{"tool_scope": "plugin", "max_entry": "1KiB"}))
	length := 900
	b.answer = func(int) (*host.ToolOutput, error) { return host.TextOutput(strings.Repeat("x", length)), nil }
	b.did("", "small")
	length = 1024
	b.did("", "large")
	require.Equal(t, `{"cache_hits":1,"cache_misses":0}`, b.did("", "small"))
	require.Equal(t, `{"cache_hits":0,"cache_misses":1}`, b.did("", "large"))

	b = newBundle(t, tools(map[string]any{"tool_scope": "plugin"}))
	b.wasm.Limits.Input = 16 << 10 // a reply that cannot be shown to the plugin passes too
	b.answer = func(int) (*host.ToolOutput, error) { return host.TextOutput(strings.Repeat("x", 20_000)), nil }
	result, err := b.run("", "huge")
	require.NoError(t, err)
	require.Len(t, result.Text(), 20_000)
	require.Equal(t, 1, b.tools)
}

// A long history is within the limits of a call.
func TestLargeRequests(t *testing.T) {
	t.Parallel()
	if ratio.Race {
		t.Skip("the limits are of real time")
	}
	b := newBundle(t, map[string]any{"model_scope": "plugin"})
	b.model = scripted.NewTurns(scripted.Say("That is long."))
	input := strings.Repeat("All work and no play makes Jack a dull boy.\n", 3<<20/44)
	require.Equal(t, `{"cache_hits":0,"cache_misses":1}`, b.did("", input))
	require.Equal(t, `{"cache_hits":1,"cache_misses":0}`, b.did("", input))
	require.Equal(t, `{"cache_hits":1,"cache_misses":0}`, b.did("", input))
	require.Empty(t, b.lines)
}

func TestWithoutGrant(t *testing.T) {
	t.Parallel()
	for name, grant := range map[string]plugin.Grant{
		"none":          {},
		"another scope": {KV: &plugin.KVGrant{Scopes: []abi.Scope{abi.ScopeThread}}},
	} {
		b := newBundle(t, tools(map[string]any{"tool_scope": "plugin"}))
		b.wasm.Grant = grant
		require.Equal(t, `{"cache_hits":0,"cache_misses":0}`, b.did("", "high"), name)
		require.Equal(t, 1, b.tools)
		require.Len(t, b.lines, 1, name)
		require.Contains(t, b.lines[0], "nothing is cached: the store cannot be used")
		require.Contains(t, b.lines[0], "EDENIED")
	}
}

// broken is a store that fails.
type broken struct{ store.Store }

func (broken) Get(context.Context, store.Namespace, string) (store.Entry, bool, error) {
	return store.Entry{}, false, errors.New("the disk is gone")
}

func TestBrokenStore(t *testing.T) {
	t.Parallel()
	b := newBundle(t, map[string]any{"tools": []any{"lookup"}})
	b.store = kv.New(broken{memory.New()}, "")
	result, err := b.run("", "high")
	require.NoError(t, err)
	require.Equal(t, "high tide", result.Text())
	require.Len(t, slices.DeleteFunc(b.lines, func(line string) bool { return strings.Contains(line, "the store of the plugin failed") }), 3)
}

// What another version of the plugin, or something else under its name, has left is not an entry.
func TestEntriesThatAreNone(t *testing.T) {
	t.Parallel()
	b := newBundle(t, map[string]any{"model_scope": "plugin", "tools": []any{"lookup"}, "tool_scope": "plugin"})
	const hit, miss = `{"cache_hits":3,"cache_misses":0}`, `{"cache_hits":0,"cache_misses":3}`
	require.Equal(t, miss, b.did("", "high"))
	require.Equal(t, hit, b.did("", "high"))
	ns := kv.Namespace{Plugin: "cache", Scope: abi.ScopePlugin}
	at := uint64(b.now.UnixNano())
	with := func(format uint64, at any, reply any) any {
		return map[string]any{"format": format, "at": at, "reply": reply}
	}
	for i, value := range []any{
		nil, "text",
		map[string]any{},
		[]any{1},
		with(2, at, map[string]any{}), with(1, "soon", nil), with(1, at, nil), with(1, at, "text"),
		with(1, at+1, map[string]any{"messages": []any{map[string]any{"role": "ai", "content": "from the future"}}}),
		with(1, at, map[string]any{"messages": []any{map[string]any{"role": "human", "content": "no answer"}}}),
		with(1, at, map[string]any{"role": "tool", "content": 7}),
		with(1, at, map[string]any{"role": "tool", "content": "an answer to another call", "tool_call_id": "x"}),
	} {
		page, err := b.store.List(t.Context(), ns, store.Query{})
		require.NoError(t, err)
		require.Len(t, page.Items, 3)
		raw, err := wire.Of(value)
		require.NoError(t, err)
		for _, item := range page.Items {
			_, err := b.store.Put(t.Context(), ns, item.Key, raw, store.PutOptions{})
			require.NoError(t, err)
		}
		require.Equal(t, miss, b.did("", "high"), "value %d", i)
		require.Equal(t, hit, b.did("", "high"), "value %d: it was overwritten", i)
	}
	require.Empty(t, b.lines)
}

func TestFailuresOfToolsPass(t *testing.T) {
	t.Parallel()
	b := newBundle(t, tools(map[string]any{"tool_scope": "plugin"}))
	b.answer = func(n int) (*host.ToolOutput, error) {
		switch n {
		case 1:
			return nil, errors.New("no connection")
		case 2:
			return &host.ToolOutput{Content: abi.Text("try later"), Failed: true}, nil
		default:
			return host.TextOutput("at noon"), nil
		}
	}
	_, err := b.run("", "high")
	require.ErrorContains(t, err, "no connection")
	require.Equal(t, `{"cache_hits":0,"cache_misses":1}`, b.did("", "high"))
	require.Equal(t, `{"cache_hits":0,"cache_misses":1}`, b.did("", "high"))
	require.Equal(t, `{"cache_hits":1,"cache_misses":0}`, b.did("", "high"))
	require.Equal(t, 3, b.tools)
}

// A tool that asks something is not a result yet.
func TestInterruptsPass(t *testing.T) {
	t.Parallel()
	b := newBundle(t, tools(nil))
	b.lookup = tool.Func("lookup", "Looks up.", func(ctx context.Context, _ struct{}) (string, error) {
		answer, err := host.RuntimeOf(ctx).Interrupt("where", wire.String("Where?"))
		text, _ := answer.AsString()
		return text, err
	})
	b.model = scripted.NewTurns(
		scripted.CallTools(abi.Call("1", "lookup", nil)), scripted.CallTools(abi.Call("2", "lookup", nil)), scripted.Say("done"))
	result, err := b.run("a", "high")
	require.NoError(t, err)
	require.Len(t, result.Interrupts, 1)
	result, err = b.agent.Run(t.Context(), host.Input{Thread: "a", Resume: []host.Answer{{Value: "Cuxhaven"}}})
	require.NoError(t, err)
	require.Equal(t, host.Completed, result.Status)
	require.Equal(t, `{"cache_hits":1,"cache_misses":1}`, result.State.Raw().JSON())
	require.Equal(t, "Cuxhaven", result.Messages.At(result.Messages.Len()-2).Content.Text())
}

func TestConfigurationErrors(t *testing.T) {
	t.Parallel()
	for says, config := range map[string]map[string]any{
		"model_ttl":                    {"model_ttl": 3600},
		`model_ttl is "1 hour"`:        {"model_ttl": "1 hour"},
		"tool_scope":                   {"tool_scope": "everybody"},
		`max_entry is "1GiB"; it must`: {"max_entry": "1GiB"},
		"tool":                         {"tool": []any{"lookup"}},
	} {
		_, err := host.New(host.Config{
			Model:      scripted.NewTurns(),
			Middleware: []host.Middleware{plugin.Wasm{Path: "cache.wasm", Config: config, Engine: plugintest.Engine}},
		})
		require.ErrorContains(t, err, `middleware "cache": `)
		require.ErrorContains(t, err, says)
	}
}
