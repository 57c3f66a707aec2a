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
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
)

// completes runs a guest whose hook checks for itself that the host answers as it should, and traps otherwise.
func completes(t *testing.T, g *guestkit.Module, limits plugin.Limits) (*testBundle, []host.Event) {
	t.Helper()
	b := setup(t, plugin.Wasm{Bytes: g.Bytes(), Limits: limits})
	events, err := b.run(t)
	require.NoError(t, err)
	return b, events
}

func TestLengthZeroNeedsNoPointer(t *testing.T) {
	t.Parallel()
	g := guestkit.Hooked(abi.WrapToolCall, abi.HookSpec{})
	wild := guestkit.I32(-1)
	g.On("wrap_tool_call",
		guestkit.I32(1), wild, guestkit.I32(0), guestkit.Call(guestkit.Log),
		wild, guestkit.I32(0), guestkit.Call(guestkit.InputRead), guestkit.Drop,
		g.Place([]byte("budget")), wild, guestkit.I32(0), guestkit.Call(guestkit.HostCall), guestkit.Expect(abi.StatusOK),
		wild, guestkit.I32(0), guestkit.Call(guestkit.ReplyRead), guestkit.Drop,
		wild, guestkit.I32(0), guestkit.Call(guestkit.Next), guestkit.Expect(abi.StatusOK),
		guestkit.Nothing)
	completes(t, g, plugin.Limits{})
}

func TestStatuses(t *testing.T) {
	t.Parallel()
	g := guestkit.Hooked(abi.BeforeModel, abi.HookSpec{})
	event := guestkit.Document(&abi.EventEmit{Name: "said", Data: wire.Int(3)})
	read := func(q abi.StateQuery) []byte { return guestkit.Document(&q) }
	g.On("before_model",
		g.HostCall("made.up", nil, abi.ENOENT),
		g.HostCall(string(make([]byte, 64)), nil, abi.ENOENT),
		g.HostCall(abi.OpKVGet, nil, abi.EDENIED),
		g.HostCall(abi.OpHTTPFetch, []byte{0x80}, abi.EDENIED),
		g.HostCall(abi.OpStateRead, read(abi.StateQuery{Fields: []string{"secret"}}), abi.EDENIED),
		g.HostCall(abi.OpStateRead, read(abi.StateQuery{Count: 1}), abi.EDENIED),
		g.HostCall(abi.OpStateRead, nil, abi.EINVAL),
		g.HostCall(abi.OpStateRead, []byte{0x01}, abi.EINVAL),
		g.HostCall(abi.OpEventEmit, []byte{0x80}, abi.EINVAL),
		g.HostCall(abi.OpEventEmit, guestkit.MapOf(map[string]any{"name": "two words"}), abi.EINVAL),
		g.HostCall(abi.OpEventEmit, event, abi.StatusOK),
		guestkit.Nothing)
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
		g := guestkit.Hooked(abi.WrapToolCall, abi.HookSpec{})
		g.On("wrap_tool_call", guestkit.Repeat(10, g.Forward(nil, abi.StatusOK)...), guestkit.Repeat(2, g.Forward(nil, abi.ELIMIT)...), guestkit.Nothing)
		b, _ := completes(t, g, plugin.Limits{})
		require.EqualValues(t, 10, b.ran.Load())
	})
	t.Run("host_call", func(t *testing.T) {
		t.Parallel()
		g := guestkit.Hooked(abi.BeforeModel, abi.HookSpec{})
		g.On("before_model", guestkit.Repeat(2, g.HostCall("budget", nil, abi.StatusOK)...), g.HostCall("budget", nil, abi.ELIMIT), guestkit.Nothing)
		completes(t, g, plugin.Limits{HostCalls: 2})
	})
	t.Run("log", func(t *testing.T) {
		t.Parallel()
		g := guestkit.Hooked(abi.AfterAgent, abi.HookSpec{})
		g.On("after_agent", guestkit.Repeat(1000, g.Log(1, "flood\x1b[2J\n\u202e")...), guestkit.Nothing)
		b, _ := completes(t, g, plugin.Limits{Log: 100})
		lines := b.logged.texts()
		require.Less(t, len(lines), 12)
		require.Equal(t, "INFO flood [2J  ", lines[0], "control characters are cleaned")
		require.Contains(t, lines[len(lines)-1], "the plugin's log is cut here")
	})
	t.Run("line", func(t *testing.T) {
		t.Parallel()
		g := guestkit.Hooked(abi.AfterAgent, abi.HookSpec{})
		g.Memory = guestkit.Pages(4)
		g.On("after_agent", g.Log(2, strings.Repeat("x", 20_000)), g.Print(1, "out"), guestkit.Nothing)
		b, _ := completes(t, g, plugin.Limits{})
		lines := b.logged.texts()
		require.Len(t, lines[0], len("WARN ")+8<<10)
		require.Equal(t, "INFO out", lines[1])
	})
	t.Run("input", func(t *testing.T) {
		t.Parallel()
		g := guestkit.Hooked(abi.BeforeModel, abi.HookSpec{Messages: abi.ViewAll()}).On("before_model", guestkit.Nothing)
		b := setup(t, plugin.Wasm{Bytes: g.Bytes(), Limits: plugin.Limits{Input: 500}})
		_, err := b.run(t)
		require.NoError(t, err)
		_, err = b.run(t, abi.Human(strings.Repeat("long ", 100)))
		fault := faultIn(t, err)
		require.Equal(t, plugin.KindLimit, fault.Kind)
		require.Contains(t, fault.Message, "the limit is 500; let the hook declare a smaller view")
	})
	t.Run("reply", func(t *testing.T) {
		t.Parallel()
		g := guestkit.Hooked(abi.WrapModelCall, abi.HookSpec{})
		g.On("wrap_model_call", g.Forward(nil, abi.ETOOBIG), guestkit.Nothing)
		b := setup(t, plugin.Wasm{Bytes: g.Bytes(), Limits: plugin.Limits{Input: 500}}, func(c *host.Config) {
			c.Model = constantModel(abi.AI(strings.Repeat("long ", 100)))
		})
		events, err := b.run(t)
		require.NoError(t, err)
		require.Equal(t, host.Completed, last(events).Status)
	})
}

func TestResultIsCopied(t *testing.T) {
	t.Parallel()
	g := guestkit.Hooked(abi.BeforeAgent, abi.HookSpec{}, abi.FieldSpec{Name: "f", Lifetime: "run"})
	first := g.Write(guestkit.MapOf(map[string]any{"state": map[string]any{"f": "first"}}))
	second := g.Write(guestkit.MapOf(map[string]any{"state": map[string]any{"f": "last"}}))
	g.On("before_agent", first, second, g.Erase(), guestkit.I32(1))
	_, events := completes(t, g, plugin.Limits{})
	i := slices.IndexFunc(events, func(e host.Event) bool { return e.Type == host.EventState && len(e.State) > 0 })
	require.Equal(t, `{"f":"last"}`, events[i].State.Raw().JSON())
}

func TestResultOfZeroDoesNotCount(t *testing.T) {
	t.Parallel()
	g := guestkit.Hooked(abi.BeforeAgent, abi.HookSpec{})
	g.On("before_agent", g.Write([]byte{0xdd, 0xff}), guestkit.Nothing)
	completes(t, g, plugin.Limits{})
}

// TestInnerErrorKeepsItsIdentity shows that a hook that returns 0 after a failed next passes the Go error on.
func TestInnerErrorKeepsItsIdentity(t *testing.T) {
	t.Parallel()
	sentinel := errors.New("no connection")
	g := guestkit.Hooked(abi.WrapModelCall, abi.HookSpec{})
	g.On("wrap_model_call", g.Forward(nil, abi.StatusFailed), guestkit.Nothing)
	b := setup(t, plugin.Wasm{Bytes: g.Bytes()}, func(c *host.Config) { c.Model = failingModel{sentinel} })
	_, err := b.run(t)
	require.ErrorIs(t, err, sentinel)
	require.ErrorAs(t, err, new(*host.ModelError))
	require.NotErrorAs(t, err, new(*host.HookError))
}

// TestOrdinaryErrors shows that an error in a result is not a fault: the instance is kept, and no policy applies.
func TestOrdinaryErrors(t *testing.T) {
	t.Parallel()
	for _, hook := range abi.Hooks() {
		t.Run(string(hook), func(t *testing.T) {
			t.Parallel()
			g := guestkit.Hooked(hook, abi.HookSpec{})
			g.On(string(hook), g.Say(guestkit.Document(&abi.Result{Error: &abi.Error{Type: "mine", Message: "no", Retryable: true}})))
			b := setup(t, plugin.Wasm{Bytes: g.Bytes(), OnFailure: plugin.Open})
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
		body func(g *guestkit.Module) guestkit.Code
		kind plugin.Kind
		says string
	}{
		"trap":       {func(*guestkit.Module) guestkit.Code { return guestkit.Trap }, plugin.KindTrap, "unreachable"},
		"nothing":    {func(*guestkit.Module) guestkit.Code { return guestkit.Nothing }, plugin.KindProtocol, "a tool must answer"},
		"no message": {func(g *guestkit.Module) guestkit.Code { return g.Say([]byte{0x80}) }, plugin.KindProtocol, "neither tool_message nor error"},
		"next":       {func(g *guestkit.Module) guestkit.Code { return guestkit.Seq(g.Forward(nil, 0), guestkit.Nothing) }, plugin.KindProtocol, "next is for wrap hooks"},
		"response": {func(g *guestkit.Module) guestkit.Code {
			return g.Say(guestkit.MapOf(map[string]any{"response": map[string]any{}}))
		}, plugin.KindProtocol, "response is for"},
		"jump": {func(g *guestkit.Module) guestkit.Code { return g.Say(guestkit.MapOf(map[string]any{"jump_to": "end"})) }, plugin.KindProtocol, "jump_to is for"},
		"id of a message": {func(g *guestkit.Module) guestkit.Code {
			return g.Say(guestkit.MapOf(map[string]any{"tool_message": map[string]any{"id": "h1"}}))
		}, plugin.KindProtocol, "gives ids"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := guestkit.New(abi.Description{Tools: []abi.ToolSpec{{Name: "own"}}})
			g.On("call_tool", test.body(g))
			b := setup(t, plugin.Wasm{Bytes: g.Bytes(), OnFailure: plugin.Open}, func(c *host.Config) {
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
