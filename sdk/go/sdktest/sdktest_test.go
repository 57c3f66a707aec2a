package sdktest_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	sdk "github.com/agenthost/agenthost/sdk/go"
	"github.com/agenthost/agenthost/sdk/go/sdktest"
)

// A process has only one plugin, so the tests here are not parallel.

// plugin is a plugin whose hooks call functions of the test.
type plugin struct {
	node  func(c *sdk.Call) (*sdk.Update, error)
	model func(c *sdk.ModelCall) (*sdk.ResponseChange, *sdk.Update, error)
	tool  func(c *sdk.ToolCall) (*sdk.Patch, *sdk.Update, error)
}

func (p plugin) BeforeModel(c *sdk.Call) (*sdk.Update, error) { return p.node(c) }

func (p plugin) WrapModelCall(c *sdk.ModelCall) (*sdk.ResponseChange, *sdk.Update, error) {
	return p.model(c)
}

func (p plugin) WrapToolCall(c *sdk.ToolCall) (*sdk.Patch, *sdk.Update, error) { return p.tool(c) }
func (p plugin) CallTool(c *sdk.ToolCall) (*sdk.Patch, *sdk.Update, error)     { return p.tool(c) }

func (p plugin) Configure(config sdk.Map) (*sdk.Description, error) {
	if mode, _ := config.Get("mode").AsString(); mode == "bad" {
		return nil, &sdk.Error{Type: "config", Message: "mode: bad is bad"}
	} else if mode == "narrow" {
		return &sdk.Description{Name: "test", Version: "1.0.0", Hooks: sdk.HookSpecs{BeforeModel: &sdk.HookSpec{}}}, nil
	}
	return nil, nil
}

func description() sdk.Description {
	return sdk.Description{
		Name: "test", Version: "1.0.0",
		ConfigSchema: sdk.Schema(map[string]any{"type": "object", "properties": map[string]any{
			"mode": map[string]any{"type": "string", "default": "usual"},
		}, "additionalProperties": false}),
		Fields: []sdk.FieldSpec{
			sdk.Field[int]{Name: "sum", Reducer: sdk.ReduceAdd}.Spec(),
			sdk.Field[[]string]{Name: "list", Reducer: sdk.ReduceAppend}.Spec(),
			sdk.Field[string]{Name: "last"}.Spec(),
		},
		Tools: []sdk.ToolSpec{{Name: "own"}},
		Capabilities: []sdk.Capability{
			{Op: abi.OpHTTPFetch},
			{Op: abi.OpModelGenerate},
			{Op: abi.OpToolCall},
			{Op: abi.OpClockNow},
			{Op: abi.OpRandomBytes},
			{Op: abi.OpKVGet},
			{Op: abi.OpKVPut},
			{Op: abi.OpKVDelete},
			{Op: abi.OpKVList},
		},
		Hooks: sdk.HookSpecs{
			BeforeModel:  &sdk.HookSpec{Messages: sdk.ViewAll(), Reads: []string{"sum", "list", "last", "theirs"}, CanJumpTo: []string{"end"}},
			WrapToolCall: &sdk.HookSpec{Messages: sdk.ViewLast(1), Tools: []string{"search", "other"}},
		},
	}
}

func newHost(t testing.TB, p plugin) *sdktest.Host {
	t.Helper()
	sdk.Register(p, description())
	return sdktest.New(t)
}

func TestConfigurations(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	h := newHost(t, plugin{})
	h.Configure(nil)
	require.NotNil(t, h.Description().Hooks.WrapToolCall)
	h.Configure(map[string]any{"mode": "narrow"})
	require.Nil(t, h.Description().Hooks.WrapToolCall)
	require.EqualError(t, h.TryConfigure(map[string]any{"mode": "bad"}), "config: mode: bad is bad")
	require.ErrorContains(t, h.TryConfigure(map[string]any{"mode": 3}), "mode")
	require.ErrorContains(t, h.TryConfigure(map[string]any{"mood": "x"}), "mood")

	sdk.Register(plugin{}, sdk.Description{Name: "plain", Version: "1.0.0"})
	require.EqualError(t, sdktest.New(t).TryConfigure(map[string]any{"mode": "x"}), "config: the plugin takes no configuration")
}

func TestUpdatesAreApplied(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	var say func(*sdk.Call) *sdk.Update
	h := newHost(t, plugin{node: func(c *sdk.Call) (*sdk.Update, error) { return say(c), nil }})
	h.Say(abi.Human("one"), abi.Human("two"), abi.Human("three"))
	say = func(c *sdk.Call) *sdk.Update {
		require.Len(t, c.Messages(), 3)
		u := &sdk.Update{Remove: []string{"m1"}, Patch: []sdk.Patch{sdk.NewPatch("m2").SetContent(sdk.Text("2"))}, JumpTo: "end"}
		again := abi.Human("3")
		again.ID = "m3"
		u.Messages = []sdk.Message{again, abi.AI("4")}
		u.State.Set("sum", sdk.Int(2))
		u.State.Set("last", sdk.String("x"))
		return u
	}
	before := h.Messages
	out := h.BeforeModel()
	require.Equal(t, "end", out.JumpTo)
	require.Equal(t, "one", before[0].Content.Text(), "what a test holds stays as it was")
	texts := ""
	for _, m := range h.Messages {
		texts += m.ID + ":" + m.Content.Text() + " "
	}
	require.Equal(t, "m2:2 m3:3 m4:4 ", texts)
	say = func(*sdk.Call) *sdk.Update {
		u := &sdk.Update{}
		u.State.Set("sum", sdk.Float(0.5))
		list, _ := abi.NameList{"a"}.MarshalMsg(nil)
		u.State.Set("list", list)
		return u
	}
	h.BeforeModel()
	h.BeforeModel()
	require.Equal(t, `{"last":"x","list":["a","a"],"sum":3.0}`, h.State.Raw().JSON())
	say = func(*sdk.Call) *sdk.Update {
		return &sdk.Update{Overwrite: true, Messages: []sdk.Message{abi.Human("all")}}
	}
	h.BeforeModel()
	require.Len(t, h.Messages, 1)
}

func TestAFailedCallChangesNothing(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	h := newHost(t, plugin{node: func(*sdk.Call) (*sdk.Update, error) {
		return &sdk.Update{Messages: []sdk.Message{abi.Human("no")}}, errors.New("it broke")
	}})
	require.Equal(t, "it broke", h.BeforeModel().Error.Message)
	require.Empty(t, h.Messages)
}

func TestReplies(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	var errs []string
	h := newHost(t, plugin{tool: func(c *sdk.ToolCall) (*sdk.Patch, *sdk.Update, error) {
		for range 2 {
			if answer, err := c.Next(nil); err != nil {
				errs = append(errs, err.Error())
			} else {
				errs = append(errs, answer.Message().Content.Text())
			}
		}
		u := &sdk.Update{Messages: []sdk.Message{abi.Human("seen")}}
		return nil, u, nil
	}})
	search := abi.Call("1", "search", nil)
	try := func(replies ...sdktest.Reply) *sdktest.Outcome {
		errs, h.Messages, h.Replies = nil, nil, replies
		return h.WrapToolCall(search)
	}
	out := try(sdktest.Fails(&sdk.Error{Type: "timeout", Message: "slow"}), sdktest.Answers("found"))
	require.Equal(t, []string{"timeout: slow", "found"}, errs)
	require.Equal(t, "found", out.Answer.Content.Text())
	require.Equal(t, "search", out.Answer.Name)
	require.Len(t, out.Calls, 2)
	require.Len(t, h.Messages, 1)

	out = try(sdktest.Answers("found"), sdktest.Refuses(abi.ELIMIT))
	require.Equal(t, []string{"found", "ELIMIT: a limit or quota is used up"}, errs)
	require.Equal(t, "found", out.Answer.Content.Text())

	out = try(sdktest.Refuses(abi.StatusInterrupted))
	require.Equal(t, []string{sdk.ErrClosed.Error(), sdk.ErrClosed.Error()}, errs)
	require.Nil(t, out.Answer)
	require.Empty(t, h.Messages, "what a closed call says is discarded")
}

func TestTheHostFetchesTheReplyOfAHookThatDoesNot(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	h := newHost(t, plugin{
		tool:  func(*sdk.ToolCall) (*sdk.Patch, *sdk.Update, error) { return nil, nil, nil },
		model: func(*sdk.ModelCall) (*sdk.ResponseChange, *sdk.Update, error) { return nil, nil, nil },
	})
	h.Replies = []sdktest.Reply{sdktest.Answers("found"), sdktest.Says(abi.AI("hi")), sdktest.Fails(&sdk.Error{Message: "down"})}
	out := h.WrapToolCall(abi.Call("1", "search", nil))
	require.Equal(t, "found", out.Answer.Content.Text())
	require.Empty(t, out.Calls)
	require.Equal(t, "hi", h.WrapModelCall(sdk.ModelRequest{}).Response[0].Content.Text())
	require.Equal(t, "down", h.WrapModelCall(sdk.ModelRequest{}).Error.Message)
}

func TestOperations(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	var act func(c *sdk.Call) error
	h := newHost(t, plugin{node: func(c *sdk.Call) (*sdk.Update, error) { return nil, act(c) }})
	do := func(f func(c *sdk.Call) error) *sdktest.Outcome { act = f; return h.BeforeModel() }

	h.Now = time.Unix(5, 0)
	h.Fetch = func(r *sdk.FetchRequest) (*sdk.FetchResponse, error) {
		return &sdk.FetchResponse{Status: 200, Body: []byte(r.URL)}, nil
	}
	h.Generate = func(*sdk.GenerateRequest) (*sdk.ModelResponse, error) { return nil, errors.New("overloaded") }
	h.CallTool = func(name string, args sdk.Map) (*sdk.Message, error) {
		if name == "busy" {
			return nil, sdktest.RefusedError(abi.EBUSY)
		}
		m := abi.ToolResult(abi.ToolCall{ID: "x", Name: name}, args.Raw().JSON())
		return &m, nil
	}
	h.Denied = []string{abi.OpKVList}
	h.State.Set("theirs", sdk.Int(1))
	h.State.Set("hidden", sdk.Int(2))
	h.Say(abi.Human("a"), abi.Human("b"), abi.Human("c"))
	out := do(func(c *sdk.Call) error {
		response, err := c.Fetch(&sdk.FetchRequest{URL: "https://x"})
		require.NoError(t, err)
		require.Equal(t, "https://x", string(response.Body))
		_, err = c.Generate(&sdk.GenerateRequest{})
		require.EqualError(t, err, "error: overloaded")
		answer, err := c.CallTool("search", sdk.Map{{Key: "q", Value: sdk.String("x")}})
		require.NoError(t, err)
		require.Equal(t, `{"q":"x"}`, answer.Content.Text())
		_, err = c.CallTool("busy", nil)
		require.ErrorContains(t, err, "EBUSY")
		now, err := c.ClockNow()
		require.NoError(t, err)
		require.Equal(t, uint64(5e9), now)
		random, err := c.RandomBytes(4)
		require.NoError(t, err)
		require.Len(t, random, 4)
		_, err = c.RandomBytes(abi.MaxRandomBytes + 1)
		require.ErrorContains(t, err, "EINVAL")
		_, _, err = c.Store(sdk.ScopeRun).List("", "", 0)
		require.ErrorContains(t, err, "EDENIED")
		require.True(t, c.State("hidden").IsZero())
		page, err := c.ReadMessages(1, 10)
		require.NoError(t, err)
		require.Len(t, page, 2)
		_, err = c.ReadFields("hidden")
		require.ErrorContains(t, err, "EDENIED")
		budget, err := c.Budget()
		require.NoError(t, err)
		require.Positive(t, budget.Next)
		return c.Emit("seen", sdk.Int(1))
	})
	require.Nil(t, out.Error)
	require.Equal(t, "seen", out.Events[0].Name)

	h.CallTool = func(string, sdk.Map) (*sdk.Message, error) { return nil, sdktest.RefusedError(abi.StatusInterrupted) }
	out = do(func(c *sdk.Call) error {
		_, err := c.CallTool("asks", nil)
		require.ErrorIs(t, err, sdk.ErrClosed)
		return c.Emit("more", sdk.Int(1))
	})
	require.Empty(t, out.Events)
}

func TestStores(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	h := newHost(t, plugin{node: func(c *sdk.Call) (*sdk.Update, error) {
		s := c.Store(sdk.ScopeThread)
		first, err := s.PutIf("a", sdk.Int(1), 0)
		require.NoError(t, err)
		_, err = s.PutIf("a", sdk.Int(2), 0)
		require.ErrorIs(t, err, sdk.ErrConflict)
		second, err := s.Put("a", sdk.Int(2))
		require.NoError(t, err)
		require.Greater(t, second, first)
		_, err = s.Put("b", sdk.Int(3))
		require.NoError(t, err)
		items, more, err := s.List("", "", 1)
		require.NoError(t, err)
		require.True(t, more)
		require.Equal(t, "a", items[0].Key)
		items, more, err = s.List("", "a", 0)
		require.NoError(t, err)
		require.False(t, more)
		require.Equal(t, "b", items[0].Key)
		require.ErrorIs(t, s.DeleteIf("a", first), sdk.ErrConflict)
		require.NoError(t, s.Delete("a"))
		value, version, err := s.Get("a")
		require.NoError(t, err)
		require.Zero(t, version)
		require.True(t, value.IsZero())
		return nil, nil
	}})
	h.BeforeModel()
	require.Equal(t, "3", h.Stored(sdk.ScopeThread, "b").JSON())
	require.True(t, h.Stored(sdk.ScopeRun, "b").IsZero())
}

// failing is a testing.TB that records a failure instead of failing the test.
type failing struct {
	testing.TB
	message string
}

type fatal struct{}

func (f *failing) Helper() {}

func (f *failing) Fatal(args ...any) { f.message = fmt.Sprint(args...); panic(fatal{}) }

func (f *failing) Fatalf(format string, args ...any) {
	f.message = fmt.Sprintf(format, args...)
	panic(fatal{})
}

func TestMistakesFailTheTest(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	update := func(u sdk.Update) plugin {
		return plugin{node: func(*sdk.Call) (*sdk.Update, error) { return &u, nil }}
	}
	state := func(field string, value sdk.Raw) sdk.Update {
		return sdk.Update{State: sdk.Map{{Key: field, Value: value}}}
	}
	before := func(h *sdktest.Host) { h.BeforeModel() }
	for message, tc := range map[string]struct {
		plugin plugin
		act    func(h *sdktest.Host)
	}{
		`writes the field "other"`:                        {update(state("other", sdk.Int(1))), before},
		`jumps to "tools", which its can_jump_to`:         {update(sdk.Update{JumpTo: "tools"}), before},
		`the message "m9", which is not in the history`:   {update(sdk.Update{Remove: []string{"m9"}}), before},
		`message "m1" changes its role`:                   {update(sdk.Update{Patch: []sdk.Patch{sdk.NewPatch("m1").Set("role", sdk.String("ai"))}}), before},
		`"x" is added to 1`:                               {update(state("sum", sdk.String("x"))), func(h *sdktest.Host) { h.State.Set("sum", sdk.Int(1)); h.BeforeModel() }},
		`has no hook after_agent`:                         {plugin{}, func(h *sdktest.Host) { h.AfterAgent() }},
		`refuses its configuration: config: mode: bad`:    {plugin{}, func(h *sdktest.Host) { h.Configure(map[string]any{"mode": "bad"}) }},
		`the plugin wraps the tools [search other]`:       {plugin{}, func(h *sdktest.Host) { h.WrapToolCall(abi.Call("1", "delete", nil)) }},
		`the plugin's Description lists no tool "delete"`: {plugin{}, func(h *sdktest.Host) { h.Tool(abi.Call("1", "delete", nil)) }},
		`calls Next, and there is no reply left`: {plugin{tool: func(c *sdk.ToolCall) (*sdk.Patch, *sdk.Update, error) {
			_, err := c.Next(nil)
			return nil, nil, err
		}}, func(h *sdktest.Host) { h.WrapToolCall(abi.Call("1", "search", nil)) }},
		`calls Next, which is for wrap hooks`: {plugin{tool: func(c *sdk.ToolCall) (*sdk.Patch, *sdk.Update, error) {
			_, err := c.Next(nil)
			return nil, nil, err
		}}, func(h *sdktest.Host) { h.Tool(abi.Call("1", "own", nil)) }},
		`calls http.fetch: give the host a Fetch`: {plugin{node: func(c *sdk.Call) (*sdk.Update, error) {
			_, err := c.Fetch(&sdk.FetchRequest{})
			return nil, err
		}}, before},
	} {
		t.Run(message, func(t *testing.T) {
			f := &failing{}
			require.PanicsWithValue(t, fatal{}, func() {
				h := newHost(f, tc.plugin)
				h.Say(abi.Human("hi"))
				tc.act(h)
			})
			require.Contains(t, f.message, message)
		})
	}
	f := &failing{}
	sdk.Register(plugin{node: func(c *sdk.Call) (*sdk.Update, error) { _, err := c.ClockNow(); return nil, err }},
		sdk.Description{Name: "asks", Version: "1.0.0"})
	require.PanicsWithValue(t, fatal{}, func() { sdktest.New(f).BeforeModel() })
	require.Contains(t, f.message, "does not ask for that capability")
	sdk.Register(plugin{}, sdk.Description{})
	require.PanicsWithValue(t, fatal{}, func() { sdktest.New(f) })
	require.Contains(t, f.message, "there is no plugin")
}
