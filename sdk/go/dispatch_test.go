package sdk_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	sdk "github.com/agenthost/agenthost/sdk/go"
)

// A process has only one plugin, so the tests here are not parallel.

// scriptedHost answers next and host_call with the replies that the test sets.
type scriptedHost struct {
	status abi.Status
	reply  []byte
	nexts  [][]byte
	ops    []string
	lines  []string
}

func (h *scriptedHost) Next(payload []byte) (abi.Status, []byte) {
	h.nexts = append(h.nexts, payload)
	return h.status, h.reply
}

func (h *scriptedHost) HostCall(op string, _ []byte) (abi.Status, []byte) {
	h.ops = append(h.ops, op)
	return h.status, h.reply
}

func (h *scriptedHost) Log(level abi.LogLevel, line string) {
	h.lines = append(h.lines, fmt.Sprint(level, " ", line))
}

// all is a plugin with every hook. Each hook calls the function that the test sets.
type all struct {
	node  func(c *sdk.Call) (*sdk.Update, error)
	model func(c *sdk.ModelCall) (*sdk.ResponseChange, *sdk.Update, error)
	tool  func(c *sdk.ToolCall) (*sdk.Patch, *sdk.Update, error)
}

func (a all) BeforeAgent(c *sdk.Call) (*sdk.Update, error) { return a.node(c) }
func (a all) BeforeModel(c *sdk.Call) (*sdk.Update, error) { return a.node(c) }
func (a all) AfterModel(c *sdk.Call) (*sdk.Update, error)  { return a.node(c) }
func (a all) AfterAgent(c *sdk.Call) (*sdk.Update, error)  { return a.node(c) }

func (a all) WrapModelCall(c *sdk.ModelCall) (*sdk.ResponseChange, *sdk.Update, error) {
	return a.model(c)
}

func (a all) WrapToolCall(c *sdk.ToolCall) (*sdk.Patch, *sdk.Update, error) { return a.tool(c) }
func (a all) CallTool(c *sdk.ToolCall) (*sdk.Patch, *sdk.Update, error)     { return a.tool(c) }

// invoke calls an export of a plugin. A nil result means that the export returned 0.
func invoke(t *testing.T, p all, export string, in abi.HookInput, h sdk.Host) *abi.Result {
	t.Helper()
	sdk.Register(p, sdk.Description{Name: "all", Version: "1.0.0"})
	input, err := in.MarshalMsg(nil)
	require.NoError(t, err)
	b, code := sdk.Invoke(export, input, h)
	if code == abi.ReturnNothing {
		return nil
	}
	require.Equal(t, abi.ReturnResult, code)
	var result abi.Result
	_, err = result.UnmarshalMsg(b)
	require.NoError(t, err)
	return &result
}

func TestRegister(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	sdk.Register(all{}, sdk.Description{Name: "all", Version: "1.0.0", Hooks: sdk.HookSpecs{AfterModel: &sdk.HookSpec{Reads: []string{"x"}}}})
	b, code := sdk.Invoke(abi.ExportDescribe, nil, nil)
	require.Equal(t, abi.ReturnResult, code)
	var d sdk.Description
	_, err := d.UnmarshalMsg(b)
	require.NoError(t, err)
	require.EqualValues(t, abi.Major, d.ABI)
	for _, hook := range abi.Hooks() {
		require.NotNil(t, d.Hooks.Spec(hook), "a hook that is implemented is listed")
	}
	require.Equal(t, []string{"x"}, d.Hooks.AfterModel.Reads)

	require.PanicsWithValue(t, "sdk.Register: the Description lists before_model, which the plugin does not implement", func() {
		sdk.Register(struct{}{}, sdk.Description{Hooks: sdk.HookSpecs{BeforeModel: &sdk.HookSpec{}}})
	})
	require.PanicsWithValue(t, "sdk.Register: the Description lists tools, but the plugin has no CallTool", func() {
		sdk.Register(struct{}{}, sdk.Description{Tools: []sdk.ToolSpec{{Name: "t"}}})
	})
	require.Panics(t, func() { sdk.Schema(map[string]any{"type": struct{}{}}) })
}

func TestNodeHooks(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	for _, hook := range []abi.Hook{abi.BeforeAgent, abi.BeforeModel, abi.AfterModel, abi.AfterAgent} {
		nothing := all{node: func(*sdk.Call) (*sdk.Update, error) { return nil, nil }}
		require.Nil(t, invoke(t, nothing, string(hook), abi.HookInput{}, nil))
		empty := all{node: func(*sdk.Call) (*sdk.Update, error) { return &sdk.Update{}, nil }}
		require.Nil(t, invoke(t, empty, string(hook), abi.HookInput{}, nil))
		full := all{node: func(c *sdk.Call) (*sdk.Update, error) {
			update := &sdk.Update{JumpTo: abi.JumpEnd, Messages: []sdk.Message{abi.Human("hi")}, Patch: []sdk.Patch{sdk.NewPatch("m1")}, Remove: []string{"m2"}}
			update.State.Set("seen", c.State("seen"))
			return update, nil
		}}
		result := invoke(t, full, string(hook), abi.HookInput{State: sdk.Map{{Key: "seen", Value: sdk.Int(3)}}}, nil)
		require.Equal(t, "end", result.JumpTo)
		require.Equal(t, "hi", result.Messages[0].Content.Text())
		require.Equal(t, "m1", result.Patch[0].ID())
		require.Equal(t, []string{"m2"}, result.Remove)
		require.Equal(t, `{"seen":3}`, result.State.Raw().JSON())
	}
}

func TestErrors(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	fails := func(err error) *abi.Result {
		return invoke(t, all{node: func(*sdk.Call) (*sdk.Update, error) { return &sdk.Update{JumpTo: "end"}, err }}, "before_model", abi.HookInput{}, nil)
	}
	require.Equal(t, &abi.Result{Error: &abi.Error{Type: "error", Message: "plain"}}, fails(errors.New("plain")))
	mine := &sdk.Error{Type: "mine", Message: "no", Retryable: true}
	require.Equal(t, mine, fails(mine).Error)
	require.Equal(t, mine, fails(fmt.Errorf("while looking: %w", mine)).Error)
	require.Nil(t, fails(sdk.ErrClosed))
	require.Nil(t, fails(fmt.Errorf("asking: %w", sdk.ErrClosed)))
}

func TestTheInputIsDecodedWhenTheHookLooks(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	broken := []byte{0x01}
	sdk.Register(all{node: func(*sdk.Call) (*sdk.Update, error) { return nil, nil }}, sdk.Description{Name: "all", Version: "1.0.0"})
	_, code := sdk.Invoke("before_model", broken, nil)
	require.Equal(t, abi.ReturnNothing, code)

	sdk.Register(all{node: func(c *sdk.Call) (*sdk.Update, error) { _ = c.Messages(); return nil, nil }},
		sdk.Description{Name: "all", Version: "1.0.0"})
	require.Panics(t, func() { sdk.Invoke("before_model", broken, nil) })
}

func TestInterrupt(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	asks := all{node: func(c *sdk.Call) (*sdk.Update, error) {
		first, err := c.Interrupt("first", sdk.String("sure?"))
		if err != nil {
			return nil, fmt.Errorf("asking: %w", err)
		}
		second, err := c.Interrupt("second", first)
		if err != nil {
			return nil, err
		}
		update := &sdk.Update{}
		update.State.Set("answer", second)
		return update, nil
	}}
	result := invoke(t, asks, "after_agent", abi.HookInput{}, nil)
	require.Equal(t, []abi.Interrupt{{Key: "first", Value: sdk.String("sure?")}}, result.Interrupts)
	one := sdk.Map{{Key: "first", Value: sdk.Bool(true)}}
	result = invoke(t, asks, "after_agent", abi.HookInput{Answers: one}, nil)
	require.Equal(t, []abi.Interrupt{{Key: "second", Value: sdk.Bool(true)}}, result.Interrupts)
	both := one.With(sdk.Map{{Key: "second", Value: sdk.Int(2)}})
	result = invoke(t, asks, "after_agent", abi.HookInput{Answers: both}, nil)
	require.Empty(t, result.Interrupts)
	require.Equal(t, `{"answer":2}`, result.State.Raw().JSON())
	require.EqualError(t, &sdk.InterruptError{}, "interrupted")
}

func TestWrapModelCall(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	reply, err := (&abi.ModelResponse{Messages: []abi.Message{{ID: "m1", Role: abi.RoleAI}}, StopReason: "stop"}).MarshalMsg(nil)
	require.NoError(t, err)
	in := abi.HookInput{Request: &abi.ModelRequest{Model: "big"}}

	host := &scriptedHost{reply: reply}
	result := invoke(t, all{model: func(c *sdk.ModelCall) (*sdk.ResponseChange, *sdk.Update, error) {
		require.Equal(t, "big", c.Request().Model)
		response, err := c.Next(&sdk.RequestChange{Model: "small"})
		require.NoError(t, err)
		require.Equal(t, "stop", response.Response().StopReason)
		_, err = c.Next(nil)
		return &sdk.ResponseChange{StopReason: "edited"}, nil, err
	}}, "wrap_model_call", in, host)
	require.Equal(t, "edited", result.Response.StopReason)
	require.Equal(t, "\x81\xa5model\xa5small", string(host.nexts[0]))
	require.Empty(t, host.nexts[1])
}

func TestStatuses(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	document, err := (&abi.Error{Type: "busy", Message: "later", Retryable: true}).MarshalMsg(nil)
	require.NoError(t, err)
	var seen error
	passes := all{model: func(c *sdk.ModelCall) (*sdk.ResponseChange, *sdk.Update, error) {
		_, seen = c.Next(nil)
		return nil, nil, seen
	}}
	call := func(status abi.Status, reply []byte) *abi.Result {
		return invoke(t, passes, "wrap_model_call", abi.HookInput{Request: &abi.ModelRequest{}}, &scriptedHost{status: status, reply: reply})
	}
	require.Nil(t, call(abi.StatusFailed, document), "the host passes its own error on")
	require.Equal(t, &sdk.Error{Type: "busy", Message: "later", Retryable: true}, seen)
	require.Nil(t, call(abi.StatusInterrupted, nil))
	require.ErrorIs(t, seen, sdk.ErrClosed)
	require.Nil(t, call(abi.StatusCancelled, nil))
	require.ErrorIs(t, seen, sdk.ErrClosed)
	call(abi.ELIMIT, nil)
	require.Equal(t, sdk.ErrLimit, seen)
	require.Equal(t, "ELIMIT", call(abi.ELIMIT, nil).Error.Type, "a refusal is not an outcome: the hook's error must be told")
	call(abi.StatusFailed, []byte{0xc1})
	require.Error(t, seen)
}

func TestWrapToolCall(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	reply, err := (&abi.ToolReply{ToolMessage: abi.ToolResult(abi.ToolCall{ID: "c1", Name: "t"}, "found")}).MarshalMsg(nil)
	require.NoError(t, err)
	made := abi.Call("c1", "t", map[string]any{"q": "x"})
	host := &scriptedHost{reply: reply}
	p := all{tool: func(c *sdk.ToolCall) (*sdk.Patch, *sdk.Update, error) {
		q, _ := c.Args().Get("q").AsString()
		require.Equal(t, "x", q)
		require.Equal(t, "c1", c.ToolCall().ID)
		if !c.Known() {
			patch := sdk.NewPatch("").SetContent(sdk.Text("made up"))
			return &patch, nil, nil
		}
		answer, err := c.Next(&sdk.CallChange{Name: "other"})
		require.NoError(t, err)
		patch := sdk.NewPatch("").SetContent(sdk.Text(answer.Message().Content.Text() + "!"))
		c.Log(abi.LogWarn, "changed")
		return &patch, nil, c.Emit("changed", wire.Raw{})
	}}
	result := invoke(t, p, "wrap_tool_call", abi.HookInput{Call: &made, Known: true}, host)
	require.Equal(t, `{"content":"found!"}`, result.ToolMessage.Keys().Raw().JSON())
	require.Equal(t, []string{abi.OpEventEmit}, host.ops)
	require.Equal(t, []string{"2 changed"}, host.lines)
	result = invoke(t, p, abi.ExportCallTool, abi.HookInput{Call: &made}, host)
	require.Equal(t, `{"content":"made up"}`, result.ToolMessage.Keys().Raw().JSON())
}

func TestOperations(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	call := func(status abi.Status, reply []byte, use func(c *sdk.Call)) {
		invoke(t, all{node: func(c *sdk.Call) (*sdk.Update, error) { use(c); return nil, nil }}, "before_model",
			abi.HookInput{}, &scriptedHost{status: status, reply: reply})
	}
	state, _ := (&abi.StateReply{Items: []abi.Message{abi.Human("hi")}, State: sdk.Map{{Key: "f", Value: sdk.Int(1)}}}).MarshalMsg(nil)
	call(abi.StatusOK, state, func(c *sdk.Call) {
		require.Nil(t, c.Messages())
		messages, err := c.ReadMessages(0, 1)
		require.NoError(t, err)
		require.Equal(t, "hi", messages[0].Content.Text())
		fields, err := c.ReadFields("f")
		require.NoError(t, err)
		require.Equal(t, sdk.Int(1), fields.Get("f"))
	})
	call(abi.EDENIED, nil, func(c *sdk.Call) {
		_, err := c.ReadFields("f")
		require.ErrorContains(t, err, "EDENIED")
		require.ErrorContains(t, c.Emit("x", nil), "EDENIED")
		_, err = c.Budget()
		require.ErrorContains(t, err, "EDENIED")
	})
	budget, _ := (&abi.Budget{HostCalls: 3, Next: 4}).MarshalMsg(nil)
	call(abi.StatusOK, budget, func(c *sdk.Call) {
		left, err := c.Budget()
		require.NoError(t, err)
		require.Equal(t, abi.Budget{HostCalls: 3, Next: 4}, left)
	})
}

// deep returns a value of so many arrays inside each other.
func deep(depth int) sdk.Raw {
	b := bytes.Repeat([]byte{0x91}, depth)
	return append(b, 0xc0)
}

func TestDocumentsThatNestTooDeeplyAreErrors(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	says := func(depth int) *abi.Result { // state: {f: value} has two maps around the value
		return invoke(t, all{node: func(*sdk.Call) (*sdk.Update, error) {
			return &sdk.Update{State: sdk.Map{{Key: "f", Value: deep(depth)}}}, nil
		}}, "before_model", abi.HookInput{}, &scriptedHost{})
	}
	require.Nil(t, says(62).Error)
	require.Equal(t, sdk.ErrTooDeep, says(63).Error)

	asks := func(depth int) *abi.Result { // interrupts: [{key, value}]
		return invoke(t, all{node: func(c *sdk.Call) (*sdk.Update, error) {
			_, err := c.Interrupt("sure", deep(depth))
			return nil, err
		}}, "before_model", abi.HookInput{}, &scriptedHost{})
	}
	require.Nil(t, asks(61).Error)
	require.Equal(t, sdk.ErrTooDeep, asks(62).Error, "an interrupt that nobody could read must not be skipped")

	host := &scriptedHost{}
	calls := func(depth int) *abi.Result {
		return invoke(t, all{tool: func(c *sdk.ToolCall) (*sdk.Patch, *sdk.Update, error) {
			_, err := c.Next(new(sdk.CallChange).WithArg("a", deep(depth)))
			return nil, nil, err
		}}, "wrap_tool_call", abi.HookInput{Call: &abi.ToolCall{}}, host)
	}
	calls(62)
	require.Len(t, host.nexts, 1)
	require.Equal(t, sdk.ErrTooDeep, calls(63).Error)
	require.Len(t, host.nexts, 1, "the host was not asked")

	fails := invoke(t, all{node: func(*sdk.Call) (*sdk.Update, error) {
		return nil, &sdk.Error{Type: "x", Message: "y", Data: deep(70)}
	}}, "before_model", abi.HookInput{}, &scriptedHost{})
	require.Equal(t, sdk.ErrTooDeep, fails.Error)
}
