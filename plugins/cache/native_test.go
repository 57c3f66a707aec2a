package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	sdk "github.com/agenthost/agenthost/sdk/go"
	"github.com/agenthost/agenthost/sdk/go/sdktest"
)

// The plugin has one configuration at a time, so nothing here is parallel.

// tides is a call of a tool whose results are cached.
var tides = abi.Call("call-1", "tides", map[string]any{"at": "Cuxhaven"})

func TestModelReplyComesAgain(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	h := sdktest.New(t)
	said := abi.AI("At noon.")
	said.Usage = &abi.Usage{InputTokens: 3, OutputTokens: 4, TotalTokens: 7}
	said.Meta = wire.Map{{Key: "request", Value: wire.String("r1")}}
	h.Replies = []sdktest.Reply{sdktest.Says(said)}
	h.Say(abi.Human("When is high tide?"))
	out := h.WrapModelCall(sdk.ModelRequest{Model: "main"})
	require.Len(t, out.Requests, 1)
	require.Nil(t, out.Result.Response, "the reply passes as it is")
	require.Empty(t, out.Events)
	require.Regexp(t, `^debug cache miss kind=model name=main key=[0-9a-f]{12}$`, out.Log[0])
	require.Equal(t, `{"cache_misses":1}`, h.State.Raw().JSON())

	h.Now = h.Now.Add(90 * time.Second)
	out = h.WrapModelCall(sdk.ModelRequest{Model: "main"})
	require.Empty(t, out.Requests)
	require.Len(t, out.Response, 1)
	require.Equal(t, "At noon.", out.Response[0].Content.Text())
	require.NotEqual(t, "m2", out.Response[0].ID, "a new message")
	require.Nil(t, out.Response[0].Usage, "it cost nothing")
	require.Equal(t, `{"cached":true,"request":"r1"}`, out.Response[0].Meta.Raw().JSON())
	require.Equal(t, `{"cache_hits":1,"cache_misses":1}`, h.State.Raw().JSON())
	require.Equal(t, "cache_hit", out.Events[0].Name)
	require.Regexp(t, `^\{"age_s":90,"key":"[0-9a-f]{12}","kind":"model","name":"main"\}$`, out.Events[0].Data.JSON())

	h.Replies = []sdktest.Reply{sdktest.Says(abi.AI("Hello."))}
	require.Equal(t, "Hello.", h.WrapModelCall(sdk.ModelRequest{Model: "other"}).Response[0].Content.Text())
}

func TestToolResultComesAgain(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	h := sdktest.New(t)
	h.Configure(map[string]any{"model": false, "tools": []any{"tides"}})
	require.Nil(t, h.Description().Hooks.WrapModelCall)
	require.Equal(t, []string{"tides"}, h.Description().Hooks.WrapToolCall.Tools)
	answer := sdktest.Answers("at noon")
	answer.Messages[0].Artifact = wire.Int(12)
	h.Replies = []sdktest.Reply{answer}
	require.Nil(t, h.WrapToolCall(tides).ToolMessage)

	again := tides
	again.ID = "call-2"
	out := h.WrapToolCall(again)
	require.Empty(t, out.Calls)
	require.Equal(t, "at noon", out.Answer.Content.Text())
	require.Equal(t, `12`, out.Answer.Artifact.JSON())
	require.Equal(t, "call-2", out.Answer.ToolCallID)
	require.Equal(t, `{"cached":true}`, out.Answer.Meta.Raw().JSON())
	require.Equal(t, `{"cache_hits":1,"cache_misses":1}`, h.State.Raw().JSON())
	require.Regexp(t, `"kind":"tool","name":"tides"\}$`, out.Events[0].Data.JSON())
}

func TestEntriesExpire(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	h := sdktest.New(t)
	h.Configure(map[string]any{"tools": []any{"tides"}, "tool_ttl": "10m"})
	start := h.Now
	for _, step := range []struct {
		after time.Duration
		reply string // of the tool; "": it is not called
	}{{0, "one"}, {10*time.Minute - 1, ""}, {10 * time.Minute, "two"}, {15 * time.Minute, ""}, {-time.Second, "three"}} {
		h.Now, h.Replies = start.Add(step.after), nil
		if step.reply != "" {
			h.Replies = []sdktest.Reply{sdktest.Answers(step.reply)}
		}
		out := h.WrapToolCall(tides)
		require.Empty(t, h.Replies, "%v: is called", step.after)
		if step.reply != "" {
			require.Equal(t, step.reply, out.Answer.Content.Text())
		}
	}
}

func TestToolCallsOfAReplyGetNewIDs(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	h := sdktest.New(t)
	other := tides
	other.ID = "call-2"
	answered := abi.ToolResult(other, "by the provider")
	h.Replies = []sdktest.Reply{sdktest.Says(abi.AI("", tides, other), answered, abi.AI("Wait."))}
	h.WrapModelCall(sdk.ModelRequest{Model: "main"})
	h.Seed = 1
	first := h.WrapModelCall(sdk.ModelRequest{Model: "main"}).Response
	h.Seed = 2
	second := h.WrapModelCall(sdk.ModelRequest{Model: "main"}).Response
	ids := map[string]bool{}
	for _, messages := range [][]sdk.Message{first, second} {
		require.Len(t, messages, 3)
		for _, call := range messages[0].ToolCalls {
			require.Regexp(t, `^[0-9a-z]{9}$`, call.ID)
			require.Equal(t, `{"at":"Cuxhaven"}`, call.Args.JSON())
			ids[call.ID] = true
		}
		require.Equal(t, messages[0].ToolCalls[1].ID, messages[1].ToolCallID)
	}
	require.Len(t, ids, 4)
}

func TestWhatIsNotCached(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	malformed := abi.AI("")
	malformed.InvalidToolCalls = []abi.InvalidToolCall{{Args: "{", ID: "1", Name: "tides"}}
	pinned := abi.AI("", tides)
	pinned.Content = abi.Blocks(abi.BlockOf(wire.Map{
		{Key: "calls", Value: wire.AppendString(wire.AppendArrayHeader(nil, 1), tides.ID)}, {Key: "type", Value: wire.String("native")},
	}))
	for reason, reply := range map[string]sdktest.Reply{
		`reason="the reply has a malformed tool call"`:                      sdktest.Says(malformed),
		`reason="the reply is empty"`:                                       sdktest.Says(abi.AI("")),
		`reason="the reply's content refers to the id of a tool call"`:      sdktest.Says(pinned),
		`reason="the reply has a message of another role than ai and tool"`: sdktest.Says(abi.Human("?"), abi.AI("!")),
	} {
		h := sdktest.New(t)
		for range 2 { // the model is called again
			h.Replies = []sdktest.Reply{reply}
			out := h.WrapModelCall(sdk.ModelRequest{Model: "main"})
			require.Nil(t, out.Error)
			require.Contains(t, out.Log[0], reason)
			require.Len(t, out.Requests, 1)
		}
		require.Equal(t, `{"cache_misses":2}`, h.State.Raw().JSON())
	}
	require.Equal(t, "the reply is not whole", unfit(&abi.ModelResponse{Messages: []sdk.Message{abi.AI("At n")}, StopReason: "length"}))
	text := abi.AI("call-1", tides)
	require.Empty(t, unfit(&abi.ModelResponse{Messages: []sdk.Message{text}}), "a text that is like an id is none")
	require.Empty(t, unfit(&abi.ModelResponse{Messages: []sdk.Message{abi.AI("")}, Structured: wire.Int(7)}))
}

func TestFailuresAreNotCached(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	h := sdktest.New(t)
	h.Configure(map[string]any{"tools": []any{"tides"}})
	failed := sdktest.Answers("no connection")
	failed.Messages[0].Status = abi.StatusError
	h.Replies = []sdktest.Reply{
		sdktest.Fails(&sdk.Error{Type: "network", Message: "gone", Retryable: true}), failed,
		sdktest.Refuses(abi.StatusInterrupted), sdktest.Answers("at noon"),
	}
	out := h.WrapToolCall(tides)
	require.Equal(t, &sdk.Error{Type: "network", Message: "gone", Retryable: true}, out.Error)
	require.Equal(t, abi.StatusError, h.WrapToolCall(tides).Answer.Status)
	h.WrapToolCall(tides)
	require.Equal(t, "at noon", h.WrapToolCall(tides).Answer.Content.Text())
	require.Empty(t, h.Replies)

	h.Replies = []sdktest.Reply{sdktest.Fails(&sdk.Error{Type: "overloaded"}), sdktest.Says(abi.AI("Hello."))}
	require.Equal(t, "overloaded", h.WrapModelCall(sdk.ModelRequest{}).Error.Type)
	require.Len(t, h.WrapModelCall(sdk.ModelRequest{}).Response, 1)
}

func TestWithoutAStoreEverythingPasses(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	h := sdktest.New(t)
	h.Configure(map[string]any{"tools": []any{"tides"}})
	h.Denied = []string{abi.OpKVGet, abi.OpKVPut, abi.OpKVDelete, abi.OpKVList}
	h.Replies = []sdktest.Reply{sdktest.Answers("at noon"), sdktest.Says(abi.AI("Hello."))}
	out := h.WrapToolCall(tides)
	require.Equal(t, "at noon", out.Answer.Content.Text())
	require.Len(t, out.Log, 1)
	require.Contains(t, out.Log[0], "warn nothing is cached: the store cannot be used kind=tool error=")
	require.Contains(t, out.Log[0], "EDENIED")
	out = h.WrapModelCall(sdk.ModelRequest{})
	require.Equal(t, "Hello.", out.Response[0].Content.Text())
	require.Len(t, out.Log, 1)
	require.Empty(t, h.State, "there is nothing to count")

	h.Denied = []string{abi.OpKVPut}
	h.Replies = []sdktest.Reply{sdktest.Answers("at noon")}
	out = h.WrapToolCall(tides)
	require.Equal(t, "at noon", out.Answer.Content.Text())
	require.Contains(t, out.Log[0], "warn not cached: the store cannot be used kind=tool error=")
}
