package sdk_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	sdk "github.com/agenthost/agenthost/sdk/go"
	"github.com/agenthost/agenthost/sdk/go/sdktest"
)

// looking runs functions in its hooks.
type looking struct {
	sdk.Tools

	model func(c *sdk.ModelCall, reply *sdk.ModelReply)
	tool  func(c *sdk.ToolCall, reply *sdk.ToolReply)
}

func (l looking) WrapModelCall(c *sdk.ModelCall) (*sdk.ResponseChange, *sdk.Update, error) {
	reply, err := c.Next(nil)
	if err == nil {
		l.model(c, reply)
	}
	return nil, nil, err
}

func (l looking) WrapToolCall(c *sdk.ToolCall) (*sdk.Patch, *sdk.Update, error) {
	reply, err := c.Next(nil)
	if err == nil {
		l.tool(c, reply)
	}
	return nil, nil, err
}

func TestWhatAModelCallShows(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	calls := 0
	h := host(looking{model: func(c *sdk.ModelCall, reply *sdk.ModelReply) {
		calls++
		require.Equal(t, "large", c.Model())
		require.Equal(t, "Be brief.", c.System().Text())
		require.Equal(t, []string{"tides"}, c.Tools())
		require.Equal(t, "hi", c.Messages()[0].Content.Text())
		require.Equal(t, "run-1 thread-1 example.wrap_model_call", c.Run()+" "+c.Thread()+" "+c.Step())
		require.Equal(t, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), c.Now())
		require.EqualValues(t, calls, c.N())
		require.EqualValues(t, 7, c.Seed())
		if calls == 1 {
			require.Equal(t, "two", reply.Text())
			require.Equal(t, abi.Usage{InputTokens: 3, TotalTokens: 3}, reply.Usage())
		} else {
			require.Nil(t, reply.Answer())
			require.Empty(t, reply.Text())
		}
	}}, sdk.Description{Hooks: sdk.HookSpecs{WrapModelCall: &sdk.HookSpec{Messages: sdk.ViewAll()}}})
	h.Seed = 7
	h.Say(sdk.Human("hi"))
	one, two := sdk.AI("one"), sdk.AI("two")
	one.Usage, two.Usage = &abi.Usage{InputTokens: 1, TotalTokens: 1}, &abi.Usage{InputTokens: 2, TotalTokens: 2}
	h.Replies = []sdktest.Reply{sdktest.Says(one, two), sdktest.Says()}
	for range 2 {
		require.Nil(t, h.WrapModelCall(sdk.ModelRequest{Model: "large", System: sdk.Text("Be brief."), Tools: []string{"tides"}}).Error)
	}
	require.Equal(t, 2, calls)
}

func TestWhatAToolCallShows(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	h := host(looking{tool: func(c *sdk.ToolCall, reply *sdk.ToolReply) {
		require.Equal(t, "call-1 tides", c.ID()+" "+c.Name())
		require.Equal(t, sdk.String("Cuxhaven"), c.Arg("at"))
		require.True(t, c.Arg("on").IsZero())
		require.Equal(t, "high at noon", reply.Text())
		require.False(t, reply.Failed())
	}}, sdk.Description{})
	h.Replies = []sdktest.Reply{sdktest.Answers("high at noon")}
	require.Nil(t, h.WrapToolCall(sdktest.Call("tides", map[string]any{"at": "Cuxhaven"})).Error)
}

func TestAToolWithRawArguments(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	parameters := sdk.Schema(map[string]any{"type": "object", "required": []any{"at"}})
	tools := sdk.Tools{sdk.NewRawTool("echo", "Says what it is told.", parameters, func(_ *sdk.ToolCall, args sdk.Map) (string, error) {
		if len(args) == 0 {
			return "", &sdk.Error{Type: "empty", Message: "nothing to say"}
		}
		return args.Raw().JSON(), nil
	})}
	h := host(looking{Tools: tools}, sdk.Description{Tools: tools.Specs()})
	require.Equal(t, parameters, h.Description().Tools[0].Parameters)
	require.JSONEq(t, `{"at":[1,2]}`, h.Tool(sdktest.Call("echo", map[string]any{"at": []any{1, 2}})).Answer.Content.Text())
	require.Equal(t, "empty", h.Tool(sdktest.Call("echo", nil)).Error.Type)
}
