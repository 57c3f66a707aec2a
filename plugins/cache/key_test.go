package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	sdk "github.com/agenthost/agenthost/sdk/go"
)

var searching = policy{kind: "model"}

// request is a request in which everything is set, and the history of a tool call.
func request(callID string) *abi.ModelRequest {
	call := abi.Call(callID, "search", map[string]any{"q": "tides"})
	return &abi.ModelRequest{
		Model: "main", Settings: wire.Map{{Key: "temperature", Value: wire.Float(0.5)}}, System: abi.Text("Be brief."),
		ToolChoice: "auto", Tools: []string{"search", "fetch"},
		Messages: &abi.View{Items: []sdk.Message{abi.Human("When is high tide?"), abi.AI("", call), abi.ToolResult(call, "at noon")}, Total: 3},
	}
}

func keyOf(t *testing.T, r *abi.ModelRequest) string {
	t.Helper()
	key, err := searching.modelKey(r)
	require.NoError(t, err)
	return key
}

func TestModelKeyDependsOnWhatTheModelIsTold(t *testing.T) {
	t.Parallel()
	seen := map[string]string{keyOf(t, request("1")): "the request itself"}
	for name, change := range map[string]func(*abi.ModelRequest){
		"the model":             func(r *abi.ModelRequest) { r.Model = "other" },
		"the system prompt":     func(r *abi.ModelRequest) { r.System = abi.Text("Be long.") },
		"no system prompt":      func(r *abi.ModelRequest) { r.System = abi.Content{} },
		"a setting":             func(r *abi.ModelRequest) { r.Settings = wire.Map{{Key: "temperature", Value: wire.Float(1)}} },
		"no settings":           func(r *abi.ModelRequest) { r.Settings = nil },
		"the tool choice":       func(r *abi.ModelRequest) { r.ToolChoice = "any" },
		"a tool less":           func(r *abi.ModelRequest) { r.Tools = r.Tools[:1] },
		"the order of tools":    func(r *abi.ModelRequest) { r.Tools = []string{"fetch", "search"} },
		"no messages":           func(r *abi.ModelRequest) { r.Messages = nil },
		"a message less":        func(r *abi.ModelRequest) { r.Messages.Items = r.Messages.Items[:2] },
		"what the user says":    func(r *abi.ModelRequest) { r.Messages.Items[0].Content = abi.Text("When is low tide?") },
		"a role":                func(r *abi.ModelRequest) { r.Messages.Items[0].Role = abi.RoleSystem },
		"a name":                func(r *abi.ModelRequest) { r.Messages.Items[1].Name = "helper" },
		"an argument":           func(r *abi.ModelRequest) { r.Messages.Items[1].ToolCalls[0].Args = wire.Map{}.Raw() },
		"which tool was called": func(r *abi.ModelRequest) { r.Messages.Items[1].ToolCalls[0].Name = "fetch" },
		"that the tool failed":  func(r *abi.ModelRequest) { r.Messages.Items[2].Status = abi.StatusError },
		"which call is answered": func(r *abi.ModelRequest) {
			r.Messages.Items[2].ToolCallID = "another"
		},
		"a malformed call": func(r *abi.ModelRequest) {
			r.Messages.Items[1].InvalidToolCalls = []abi.InvalidToolCall{{Args: "{", ID: "x", Name: "search"}}
		},
		"a block": func(r *abi.ModelRequest) {
			r.Messages.Items[0].Content = abi.Blocks(abi.TextBlock("When is high tide?"), abi.ImageURLBlock("https://a.example/b.png"))
		},
	} {
		r := request("1")
		change(r)
		key := keyOf(t, r)
		require.NotContains(t, seen, key, name)
		seen[key] = name
	}
}

func TestModelKeyDoesNotDependOnWhatBelongsToOneCall(t *testing.T) {
	t.Parallel()
	want := keyOf(t, request("1"))
	require.Regexp(t, `^model/[0-9a-f]{64}$`, want)
	for name, change := range map[string]func(*abi.ModelRequest){
		"ids of messages": func(r *abi.ModelRequest) { r.Messages.Items[0].ID = "m1" },
		"usage":           func(r *abi.ModelRequest) { r.Messages.Items[1].Usage = &abi.Usage{TotalTokens: 7} },
		"meta": func(r *abi.ModelRequest) {
			r.Messages.Items[1].Meta = wire.Map{{Key: "cached", Value: wire.Bool(true)}}
		},
		"an artifact":    func(r *abi.ModelRequest) { r.Messages.Items[2].Artifact = wire.Int(7) },
		"status success": func(r *abi.ModelRequest) { r.Messages.Items[2].Status = "" },
	} {
		r := request("1")
		change(r)
		require.Equal(t, want, keyOf(t, r), name)
	}
	require.Equal(t, want, keyOf(t, request("call_abc")), "ids of tool calls")
}

// Two calls have swapped answers, which is another conversation, whatever their ids are.
func TestModelKeyTellsWhichCallAMessageAnswers(t *testing.T) {
	t.Parallel()
	history := func(first, second string, answers ...string) string {
		messages := []sdk.Message{abi.AI("", abi.Call(first, "search", nil), abi.Call(second, "search", nil))}
		for i, id := range answers {
			messages = append(messages, abi.ToolResult(abi.ToolCall{ID: id, Name: "search"}, strings.Repeat("x", i)))
		}
		return keyOf(t, &abi.ModelRequest{Messages: &abi.View{Items: messages}})
	}
	require.Equal(t, history("a", "b", "a", "b"), history("c", "d", "c", "d"))
	require.NotEqual(t, history("a", "b", "a", "b"), history("a", "b", "b", "a"))
	require.Equal(t, history("a", "b", "b", "a"), history("b", "a", "a", "b"))
}

func TestKeysDependOnKindAndVersion(t *testing.T) {
	t.Parallel()
	call := abi.Call("1", "search", map[string]any{"q": "tides", "n": 3})
	tool := policy{kind: "tool"}
	want := tool.toolKey(&call)
	require.Regexp(t, `^tool/[0-9a-f]{64}$`, want)
	same := abi.Call("2", "search", map[string]any{"n": 3, "q": "tides"})
	require.Equal(t, want, tool.toolKey(&same), "neither the id nor the order of arguments counts")
	other := abi.Call("1", "search", map[string]any{"q": "tides", "n": 4})
	require.NotEqual(t, want, tool.toolKey(&other))
	renamed := abi.Call("1", "find", map[string]any{"q": "tides", "n": 3})
	require.NotEqual(t, want, tool.toolKey(&renamed))
	next := policy{kind: "tool", version: "2"}
	require.NotEqual(t, want, next.toolKey(&call))
	require.NotEqual(t, keyOf(t, &abi.ModelRequest{})[6:], tool.toolKey(&abi.ToolCall{})[5:])
}

func TestNewIDsDifferFromCallToCall(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, in := range []*abi.HookInput{{Run: "r", Seed: 1}, {Run: "r", Seed: 2}, {Run: "s", Seed: 1}} {
		id := newIDs(in, "model/key")
		require.Equal(t, id(0), newIDs(in, "model/key")(0), "a hook that runs again says the same")
		for n := range 3 {
			require.Regexp(t, `^[0-9a-z]{9}$`, id(n))
			require.False(t, seen[id(n)])
			seen[id(n)] = true
		}
	}
}
