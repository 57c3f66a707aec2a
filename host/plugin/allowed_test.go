package plugin_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/plugin"
)

// completes runs a guest whose hook checks for itself that the host answers as it should, and traps otherwise.
func completes(t *testing.T, g *guest, limits plugin.Limits) (*testBundle, []host.Event) {
	t.Helper()
	b := setup(t, plugin.Wasm{Bytes: g.bytes(), Limits: limits})
	events, err := b.run(t)
	require.NoError(t, err)
	return b, events
}

func TestLengthZeroNeedsNoPointer(t *testing.T) {
	t.Parallel()
	g := hooked(abi.WrapToolCall, abi.HookSpec{})
	wild := i32(-1)
	g.on("wrap_tool_call",
		i32(1), wild, i32(0), call(callLog),
		wild, i32(0), call(callInputRead), drop,
		g.place([]byte("budget")), wild, i32(0), call(callHostCall), expect(abi.StatusOK),
		wild, i32(0), call(callReplyRead), drop,
		wild, i32(0), call(callNext), expect(abi.StatusOK),
		nothing)
	completes(t, g, plugin.Limits{})
}

func TestStatuses(t *testing.T) {
	t.Parallel()
	g := hooked(abi.BeforeModel, abi.HookSpec{})
	event := document(&abi.EventEmit{Name: "said", Data: wire.Int(3)})
	read := func(q abi.StateQuery) []byte { return document(&q) }
	g.on("before_model",
		g.hostCall("made.up", nil, abi.ENOENT),
		g.hostCall(string(make([]byte, 64)), nil, abi.ENOENT),
		g.hostCall(abi.OpKVGet, nil, abi.EDENIED),
		g.hostCall(abi.OpHTTPFetch, []byte{0x80}, abi.EDENIED),
		g.hostCall(abi.OpStateRead, read(abi.StateQuery{Fields: []string{"secret"}}), abi.EDENIED),
		g.hostCall(abi.OpStateRead, read(abi.StateQuery{Count: 1}), abi.EDENIED),
		g.hostCall(abi.OpStateRead, nil, abi.EINVAL),
		g.hostCall(abi.OpStateRead, []byte{0x01}, abi.EINVAL),
		g.hostCall(abi.OpEventEmit, []byte{0x80}, abi.EINVAL),
		g.hostCall(abi.OpEventEmit, mapOf(map[string]any{"name": "two words"}), abi.EINVAL),
		g.hostCall(abi.OpEventEmit, event, abi.StatusOK),
		nothing)
	_, events := completes(t, g, plugin.Limits{})
	i := slices.IndexFunc(events, func(e host.Event) bool { return e.Type == host.EventCustom })
	require.Equal(t, "said", events[i].Name)
	require.Equal(t, "3", events[i].Data.JSON())
	require.Equal(t, "bad.before_model", events[i].Step)
}

func TestCallsAreLimited(t *testing.T) {
	t.Parallel()
	t.Run("next", func(t *testing.T) {
		t.Parallel()
		g := hooked(abi.WrapToolCall, abi.HookSpec{})
		g.on("wrap_tool_call", repeat(10, g.next(nil, abi.StatusOK)), repeat(2, g.next(nil, abi.ELIMIT)), nothing)
		b, _ := completes(t, g, plugin.Limits{})
		require.EqualValues(t, 10, b.ran.Load())
	})
	t.Run("host_call", func(t *testing.T) {
		t.Parallel()
		g := hooked(abi.BeforeModel, abi.HookSpec{})
		g.on("before_model", repeat(2, g.hostCall("budget", nil, abi.StatusOK)), g.hostCall("budget", nil, abi.ELIMIT), nothing)
		completes(t, g, plugin.Limits{HostCalls: 2})
	})
	t.Run("log", func(t *testing.T) {
		t.Parallel()
		g := hooked(abi.AfterAgent, abi.HookSpec{})
		g.on("after_agent", repeat(1000, g.log(1, "flood\x1b[2J\n\u202e")), nothing)
		b, _ := completes(t, g, plugin.Limits{Log: 100})
		lines := b.logged.texts()
		require.Less(t, len(lines), 12)
		require.Equal(t, "INFO flood [2J  ", lines[0], "control characters are cleaned")
		require.Contains(t, lines[len(lines)-1], "the plugin's log is cut here")
	})
	t.Run("line", func(t *testing.T) {
		t.Parallel()
		g := hooked(abi.AfterAgent, abi.HookSpec{})
		g.Memory = pages(4)
		g.on("after_agent", g.log(2, strings.Repeat("x", 20_000)), g.print("out"), nothing)
		b, _ := completes(t, g, plugin.Limits{})
		lines := b.logged.texts()
		require.Len(t, lines[0], len("WARN ")+8<<10)
		require.Equal(t, "INFO out", lines[1])
	})
	t.Run("input", func(t *testing.T) {
		t.Parallel()
		g := hooked(abi.BeforeModel, abi.HookSpec{Messages: abi.ViewAll()}).on("before_model", nothing)
		b := setup(t, plugin.Wasm{Bytes: g.bytes(), Limits: plugin.Limits{Input: 500}})
		_, err := b.run(t)
		require.NoError(t, err)
		_, err = b.run(t, abi.Human(strings.Repeat("long ", 100)))
		fault := faultIn(t, err)
		require.Equal(t, plugin.KindLimit, fault.Kind)
		require.Contains(t, fault.Message, "the limit is 500; let the hook declare a smaller view")
	})
	t.Run("reply", func(t *testing.T) {
		t.Parallel()
		g := hooked(abi.WrapModelCall, abi.HookSpec{})
		g.on("wrap_model_call", g.next(nil, abi.ETOOBIG), nothing)
		b := setup(t, plugin.Wasm{Bytes: g.bytes(), Limits: plugin.Limits{Input: 500}}, func(c *host.Config) {
			c.Model = constantModel(abi.AI(strings.Repeat("long ", 100)))
		})
		events, err := b.run(t)
		require.NoError(t, err)
		require.Equal(t, host.Completed, last(events).Status)
	})
}

func TestResultIsCopied(t *testing.T) {
	t.Parallel()
	g := hooked(abi.BeforeAgent, abi.HookSpec{}, abi.FieldSpec{Name: "f", Lifetime: "run"})
	first := g.write(mapOf(map[string]any{"state": map[string]any{"f": "first"}}))
	second := g.write(mapOf(map[string]any{"state": map[string]any{"f": "last"}}))
	g.on("before_agent", first, second, g.fill(), i32(1))
	_, events := completes(t, g, plugin.Limits{})
	i := slices.IndexFunc(events, func(e host.Event) bool { return e.Type == host.EventState && len(e.State) > 0 })
	require.Equal(t, `{"f":"last"}`, events[i].State.Raw().JSON())
}

func TestResultOfZeroDoesNotCount(t *testing.T) {
	t.Parallel()
	g := hooked(abi.BeforeAgent, abi.HookSpec{})
	g.on("before_agent", g.write([]byte{0xdd, 0xff}), nothing)
	completes(t, g, plugin.Limits{})
}

// TestInnerErrorKeepsItsIdentity shows that a hook that returns 0 after a failed next passes the Go error on.
func TestInnerErrorKeepsItsIdentity(t *testing.T) {
	t.Parallel()
	sentinel := errors.New("no connection")
	g := hooked(abi.WrapModelCall, abi.HookSpec{})
	g.on("wrap_model_call", g.next(nil, abi.StatusFailed), nothing)
	b := setup(t, plugin.Wasm{Bytes: g.bytes()}, func(c *host.Config) { c.Model = failingModel{sentinel} })
	_, err := b.run(t)
	require.ErrorIs(t, err, sentinel)
	require.ErrorAs(t, err, new(*host.ModelError))
	require.NotErrorAs(t, err, new(*host.HookError))
}

// TestOrdinaryErrors shows that an error in a result is no fault: the instance is kept, and no policy applies.
func TestOrdinaryErrors(t *testing.T) {
	t.Parallel()
	for _, hook := range abi.Hooks() {
		t.Run(string(hook), func(t *testing.T) {
			t.Parallel()
			g := hooked(hook, abi.HookSpec{})
			g.on(string(hook), g.say(document(&abi.Result{Error: &abi.Error{Type: "mine", Message: "no", Retryable: true}})))
			b := setup(t, plugin.Wasm{Bytes: g.bytes(), OnFailure: plugin.Open})
			first, err := b.run(t)
			var document *abi.Error
			require.ErrorAs(t, err, &document)
			require.True(t, document.Retryable)
			require.NotErrorAs(t, err, new(*plugin.Error))
			require.Equal(t, "mine", last(first).Error.Type)
			second, _ := b.run(t)
			require.Equal(t, instances(first), instances(second), "the instance is kept")
		})
	}
}

func TestToolFaults(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		body func(g *guest) code
		kind plugin.Kind
		says string
	}{
		"trap":            {func(*guest) code { return trap }, plugin.KindTrap, "unreachable"},
		"nothing":         {func(*guest) code { return nothing }, plugin.KindProtocol, "a tool must answer"},
		"no message":      {func(g *guest) code { return g.say([]byte{0x80}) }, plugin.KindProtocol, "neither tool_message nor error"},
		"next":            {func(g *guest) code { return slices.Concat(g.next(nil, 0), nothing) }, plugin.KindProtocol, "next is for wrap hooks"},
		"response":        {func(g *guest) code { return g.say(mapOf(map[string]any{"response": map[string]any{}})) }, plugin.KindProtocol, "response is for"},
		"jump":            {func(g *guest) code { return g.say(mapOf(map[string]any{"jump_to": "end"})) }, plugin.KindProtocol, "jump_to is for"},
		"id of a message": {func(g *guest) code { return g.say(mapOf(map[string]any{"tool_message": map[string]any{"id": "h1"}})) }, plugin.KindProtocol, "gives ids"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGuest(abi.Description{Tools: []abi.ToolSpec{{Name: "own"}}})
			g.on("call_tool", test.body(g))
			b := setup(t, plugin.Wasm{Bytes: g.bytes(), OnFailure: plugin.Open}, func(c *host.Config) {
				c.Model = constantModel(abi.AI("", abi.Call("1", "own", nil)))
			})
			_, err := b.run(t)
			fault := faultIn(t, err)
			require.Equal(t, test.kind, fault.Kind)
			require.Equal(t, "call_tool", fault.Stage)
			require.Contains(t, fault.Message, test.says)
			var toolError *host.ToolError
			require.ErrorAs(t, err, &toolError)
			require.Equal(t, "own", toolError.Tool)
		})
	}
}

type constantModel abi.Message

func (m constantModel) Info() model.Info { return model.Info{Name: "constant"} }

func (m constantModel) Generate(context.Context, *model.Request) (*model.Response, error) {
	return model.Reply(abi.Message(m)), nil
}

type failingModel struct{ err error }

func (m failingModel) Info() model.Info { return model.Info{Name: "failing"} }

func (m failingModel) Generate(context.Context, *model.Request) (*model.Response, error) {
	return nil, m.err
}
