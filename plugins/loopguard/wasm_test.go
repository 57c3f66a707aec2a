package loopguard_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint/memory"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/plugins/internal/plugintest"
)

// testBundle is an agent with the plugin, and with the tools search and fetch. They answer "none" until answer is set.
type testBundle struct {
	agent  *host.Agent
	model  *scripted.Turns
	answer func(n int64) string // to the n-th call of a tool
	calls  atomic.Int64         // of tools
}

func setup(t *testing.T, config map[string]any, turns ...scripted.Turn) *testBundle {
	t.Helper()
	b := &testBundle{model: scripted.NewTurns(turns...), answer: func(int64) string { return "none" }}
	perform := func(context.Context, *host.Runtime, *abi.ToolCall) (*host.ToolOutput, error) {
		return host.TextOutput(b.answer(b.calls.Add(1))), nil
	}
	parameters := abi.ToolSpec{Name: "search", Description: "Looks something up."}
	fetch := parameters
	fetch.Name = "fetch"
	var err error
	b.agent, err = host.New(host.Config{
		Model: b.model, Tools: []host.Tool{tool.Raw(parameters, perform), tool.Raw(fetch, perform)},
		Middleware:   []host.Middleware{plugin.Wasm{Path: "loopguard.wasm", Config: config, Engine: plugintest.Engine}},
		Checkpointer: memory.New(),
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.agent.Close()) })
	return b
}

// outcome is what a run led to.
type outcome struct {
	*host.Result

	events []string // those of plugins
	err    error
}

func (b *testBundle) run(t *testing.T, in host.Input) (out outcome) {
	t.Helper()
	out.Result, out.err = b.agent.RunEvents(t.Context(), in, func(event host.Event) error {
		if event.Type == host.EventCustom {
			out.events = append(out.events, event.Name+" "+event.Data.JSON())
		}
		return nil
	})
	return out
}

// said returns the last messages, so many.
func (o *outcome) said(last int) []string {
	var texts []string
	for i, m := range o.Messages.All() {
		if i >= o.Messages.Len()-last {
			texts = append(texts, string(m.Role)+": "+m.Content.Text())
		}
	}
	return texts
}

// ask is an answer of the model that makes one call.
func ask(name, q string) scripted.Turn {
	return scripted.CallTools(abi.Call("call", name, map[string]any{"q": q}))
}

var (
	input  = host.Input{Messages: []abi.Message{abi.Human("go")}}
	thread = host.Input{Messages: []abi.Message{abi.Human("go")}, Thread: "t"}
	done   = scripted.Say("done")
)

const (
	repeats = "the same call of search was made 3 times in a row, each time with the same result."
	advice  = " Doing it again will not help. Try something else, or answer with what you know.]"
)

func TestWarns(t *testing.T) {
	t.Parallel()
	b := setup(t, nil, ask("search", "x"), ask("search", "x"), ask("search", "x"), ask("search", "x"), ask("search", "y"), done)
	out := b.run(t, input)
	require.NoError(t, out.err)
	require.Equal(t, []string{
		`loop_detected {"action":"warn","count":3,"kind":"repeat","tools":["search"]}`,
		`loop_detected {"action":"warn","count":4,"kind":"repeat","tools":["search"]}`,
	}, out.events)
	require.Equal(t, []string{
		"tool: none",
		"ai: ", "tool: none\n\n[loopguard: " + repeats + advice,
		"ai: ", "tool: none\n\n[loopguard: the same call of search was made 4 times in a row, each time with the same result." + advice,
		"ai: ", "tool: none",
		"ai: done",
	}, out.said(8))
	require.Empty(t, out.State, "what it keeps is hidden")
}

func TestAnotherResultIsProgress(t *testing.T) {
	t.Parallel()
	turns := []scripted.Turn{ask("search", "x"), ask("search", "x"), ask("search", "x"), done}
	for _, same := range []bool{true, false} {
		b := setup(t, map[string]any{"same_result_only": same}, turns...)
		b.answer = func(n int64) string { return string(rune('a' + n)) }
		out := b.run(t, input)
		require.NoError(t, out.err)
		if same {
			require.Empty(t, out.events)
		} else {
			require.Len(t, out.events, 1)
		}
	}
}

func TestOrderOfKeysDoesNotMatter(t *testing.T) {
	t.Parallel()
	one := "\x82\xa1a\x82\xa1c\x01\xa1d\x02\xa1b\x03"   // {"a": {"c": 1, "d": 2}, "b": 3}
	other := "\x82\xa1b\x03\xa1a\x82\xa1d\x02\xa1c\x01" // the same
	call := func(args string) scripted.Turn {
		return scripted.CallTools(abi.ToolCall{ID: "call", Name: "search", Args: []byte(args)})
	}
	out := setup(t, nil, call(one), call(other), call(one), done).run(t, input)
	require.NoError(t, out.err)
	require.Len(t, out.events, 1)
}

func TestPingPong(t *testing.T) {
	t.Parallel()
	both := scripted.CallTools(abi.Call("1", "search", map[string]any{"q": "x"}), abi.Call("2", "fetch", nil))
	swapped := scripted.CallTools(abi.Call("1", "fetch", nil), abi.Call("2", "search", map[string]any{"q": "x"}))
	b := setup(t, map[string]any{"max_cycles": 2}, ask("fetch", "a"), both, ask("fetch", "b"), swapped, ask("fetch", "b"), done)
	out := b.run(t, input)
	require.NoError(t, out.err)
	require.Equal(t, []string{
		`loop_detected {"action":"warn","count":2,"kind":"ping_pong","tools":["fetch","search","fetch"]}`,
	}, out.events)
	require.Equal(t, []string{
		"tool: none\n\n[loopguard: the same calls of fetch and search, then fetch were made 2 times in turn, " +
			"each time with the same result." + advice,
		"ai: done",
	}, out.said(2))
}

func TestStops(t *testing.T) {
	t.Parallel()
	again := scripted.CallTools(abi.Call("1", "search", map[string]any{"q": "x"}))
	b := setup(t, map[string]any{"action": "stop"}, again, again, again, again)
	out := b.run(t, input)
	require.NoError(t, out.err)
	require.Equal(t, host.Completed, out.Status)
	require.EqualValues(t, 3, b.calls.Load(), "the fourth is not performed")
	require.Equal(t, []string{
		"tool: none\n\n[loopguard: " + repeats + advice,
		"ai: ", "tool: Not performed: the run was stopped because it repeats what it did 3 times.",
		"ai: Loop detected: " + repeats,
	}, out.said(4))
	require.Equal(t, abi.StatusError, out.Messages.At(out.Messages.Len()-2).Status)
	require.Equal(t, []string{
		`loop_detected {"action":"warn","count":3,"kind":"repeat","tools":["search"]}`,
		`loop_detected {"action":"stop","count":3,"kind":"repeat","tools":["search"]}`,
	}, out.events)
}

func TestFails(t *testing.T) {
	t.Parallel()
	b := setup(t, map[string]any{"action": "error"}, ask("search", "x"), ask("search", "x"), ask("search", "x"), ask("search", "x"))
	out := b.run(t, input)
	var document *abi.Error
	require.ErrorAs(t, out.err, &document)
	require.Equal(t, "loop_detected", document.Type)
	require.Equal(t, "Loop detected: "+repeats, document.Message)
	require.Equal(t, `{"action":"error","count":3,"kind":"repeat","tools":["search"]}`, document.Data.JSON())
	require.NotErrorAs(t, out.err, new(*plugin.Error), "it is an ordinary error, and no fault")
	require.EqualValues(t, 3, b.calls.Load())
}

// A loop is one of a run: in the next one of the thread the same call is not a repetition.
func TestEachRunIsLookedAtByItself(t *testing.T) {
	t.Parallel()
	b := setup(t, nil, ask("search", "x"), ask("search", "x"), done, ask("search", "x"), ask("search", "x"), done)
	for range 2 {
		out := b.run(t, thread)
		require.NoError(t, out.err)
		require.Empty(t, out.events)
	}
}

// A run that failed and goes on is one run.
func TestGoesOnAfterAFailure(t *testing.T) {
	t.Parallel()
	b := setup(t, nil, ask("search", "x"), ask("search", "x"), scripted.Fail(errors.New("overloaded")), ask("search", "x"), done)
	failed := b.run(t, thread)
	require.ErrorContains(t, failed.err, "overloaded")
	require.Empty(t, failed.events)
	out := b.run(t, host.Input{Thread: "t", Continue: true})
	require.NoError(t, out.err)
	require.Equal(t, []string{`loop_detected {"action":"warn","count":3,"kind":"repeat","tools":["search"]}`}, out.events)
}

func TestLooksAtSomeToolsOnly(t *testing.T) {
	t.Parallel()
	turns := []scripted.Turn{
		ask("search", "x"), ask("fetch", "1"), ask("search", "x"), ask("fetch", "2"), ask("search", "x"), done,
	}
	for _, test := range []struct {
		config map[string]any
		events int
	}{
		{nil, 0},
		{map[string]any{"tools": []any{"search"}}, 1},
		{map[string]any{"ignore_tools": []any{"fetch"}}, 1},
		{map[string]any{"tools": []any{"fetch"}}, 0},
	} {
		out := setup(t, test.config, turns...).run(t, input)
		require.NoError(t, out.err)
		require.Len(t, out.events, test.events)
	}
}

func TestConfigurationErrors(t *testing.T) {
	t.Parallel()
	for says, config := range map[string]map[string]any{
		"max_repeats": {"max_repeats": 1},
		"max_cycle":   {"max_cycle": 17},
		"max_cycles":  {"max_cycles": 1},
		"action":      {"action": "shout"},
		"patience":    {"patience": 3},
		`"search" is in tools and in ignore_tools`: {"tools": []any{"search"}, "ignore_tools": []any{"search"}},
	} {
		_, err := host.New(host.Config{
			Model:      scripted.NewTurns(),
			Middleware: []host.Middleware{plugin.Wasm{Path: "loopguard.wasm", Config: config, Engine: plugintest.Engine}},
		})
		require.ErrorContains(t, err, `middleware "loopguard": `)
		require.ErrorContains(t, err, says)
	}
}

// What it is shown and does in a step follows from the step, not from the length of the run.
func TestCostDoesNotGrow(t *testing.T) {
	t.Parallel()
	turns := make([]scripted.Turn, 0, 201)
	for i := range 200 {
		turns = append(turns, ask("search", string(rune('a'+i%26))))
	}
	b := setup(t, nil, append(turns, done)...)
	var fuel []uint64
	_, err := b.agent.RunEvents(t.Context(), input, func(event host.Event) error {
		if event.Type == host.EventHook && event.Step == "loopguard.before_model" {
			fuel = append(fuel, event.Fuel)
		}
		return nil
	})
	require.NoError(t, err)
	require.Len(t, fuel, 201)
	require.InDelta(t, fuel[20], fuel[200], float64(fuel[20])/10)
}
