package abi_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

func TestConstructors(t *testing.T) {
	t.Parallel()
	call := abi.Call("c1", "search", map[string]any{"q": "go", "limit": 3})
	for _, tc := range []struct {
		name    string
		message abi.Message
		json    string
		failed  bool
	}{
		{"human", abi.Human("hi"), `{"content":"hi","role":"human"}`, false},
		{"ai", abi.AI("hello"), `{"content":"hello","role":"ai"}`, false},
		{"ai with a call", abi.AI("", call), `{"role":"ai","tool_calls":[{"args":{"limit":3,"q":"go"},"id":"c1","name":"search"}]}`, false},
		{"system", abi.System("be brief"), `{"content":"be brief","role":"system"}`, false},
		{"tool result", abi.ToolResult(call, "3"), `{"content":"3","name":"search","role":"tool","status":"success","tool_call_id":"c1"}`, false},
		{"tool failure", abi.ToolFailure(call, "no"), `{"content":"no","name":"search","role":"tool","status":"error","tool_call_id":"c1"}`, true},
		{"an error status elsewhere", abi.Message{Role: abi.RoleAI, Status: abi.StatusError}, `{"role":"ai","status":"error"}`, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			text, err := json.Marshal(tc.message)
			require.NoError(t, err)
			require.Equal(t, tc.json, string(text))
			require.Equal(t, tc.failed, tc.message.Failed())

			back := abi.Human("left over")
			require.NoError(t, json.Unmarshal(text, &back))
			require.Equal(t, tc.message, back)
		})
	}
}

func TestCallPanicsOnValuesWithoutAForm(t *testing.T) {
	t.Parallel()
	require.PanicsWithValue(t, "abi.Call: msgpack: the value.x has a Go type without a msgpack form; use nil, booleans, "+
		"numbers, strings, bytes, lists and maps with string keys", func() { abi.Call("1", "f", map[string]any{"x": struct{}{}}) })
}

func TestDocumentsAsJSON(t *testing.T) {
	t.Parallel()
	call := abi.Call("c1", "f", map[string]any{"x": 1.0})
	text, err := json.Marshal(call)
	require.NoError(t, err)
	require.Equal(t, `{"args":{"x":1.0},"id":"c1","name":"f"}`, string(text))
	back := abi.Call("other", "g", nil)
	require.NoError(t, json.Unmarshal(text, &back))
	require.Equal(t, call, back)
	require.Error(t, json.Unmarshal([]byte(`{"id":1}`), &back))

	interrupt := abi.Interrupt{Key: "ok", Value: rawOf(map[string]any{"q": "send?"})}
	text, err = json.Marshal(interrupt)
	require.NoError(t, err)
	require.Equal(t, `{"key":"ok","value":{"q":"send?"}}`, string(text))
	var asked abi.Interrupt
	require.NoError(t, json.Unmarshal(text, &asked))
	require.Equal(t, interrupt, asked)

	text, err = json.Marshal(abi.Description{ABI: 1, Name: "x", Version: "1.0.0"})
	require.NoError(t, err)
	require.Equal(t, `{"abi":1,"hooks":{},"name":"x","version":"1.0.0"}`, string(text))

	text, err = json.Marshal(abi.ToolSpec{Name: "f", Description: "F."})
	require.NoError(t, err)
	require.Equal(t, `{"description":"F.","name":"f"}`, string(text))

	_, err = json.Marshal(abi.Message{Artifact: wire.Raw{0x91}})
	require.ErrorContains(t, err, "the document ends where a value is expected")
}

func TestErrorDocument(t *testing.T) {
	t.Parallel()
	require.EqualError(t, &abi.Error{Type: "unavailable", Message: "try later"}, "unavailable: try later")
	require.EqualError(t, &abi.Error{Message: "try later"}, "try later")
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	var none *abi.Update
	require.True(t, none.IsZero())
	for _, tc := range []struct {
		name             string
		result           abi.Result
		isZero, messages bool
	}{
		{"nothing", abi.Result{}, true, false},
		{"what is not an update", abi.Result{Response: &abi.ResponseChange{}, ToolMessage: &abi.Patch{}}, true, false},
		{"a jump", abi.Result{JumpTo: "end"}, false, false},
		{"state", abi.Result{State: mapOf(map[string]any{"a": 1})}, false, false},
		{"messages", abi.Result{Messages: []abi.Message{abi.Human("hi")}}, false, true},
		{"patches", abi.Result{Patch: []abi.Patch{abi.NewPatch("m1")}}, false, true},
		{"removals", abi.Result{Remove: []string{"m1"}}, false, true},
		{"an overwrite with nothing", abi.Result{Overwrite: true}, false, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			u := tc.result.Update()
			require.Equal(t, tc.isZero, u.IsZero())
			require.Equal(t, tc.messages, u.ChangesMessages())
			require.Equal(t, abi.Update{
				JumpTo: abi.Target(tc.result.JumpTo), Messages: tc.result.Messages, Overwrite: tc.result.Overwrite,
				Patch: tc.result.Patch, Remove: tc.result.Remove, State: tc.result.State,
			}, u)
		})
	}
}

func TestHookSpecsSpec(t *testing.T) {
	t.Parallel()
	specs := abi.HookSpecs{
		AfterAgent: &abi.HookSpec{}, AfterModel: &abi.HookSpec{}, BeforeAgent: &abi.HookSpec{}, BeforeModel: &abi.HookSpec{},
		WrapModelCall: &abi.HookSpec{}, WrapToolCall: &abi.HookSpec{},
	}
	var keys wire.Map
	_, err := keys.UnmarshalMsg(marshal(t, &specs))
	require.NoError(t, err)
	require.Len(t, keys, len(abi.Hooks()))
	want := map[abi.Hook]*abi.HookSpec{
		abi.BeforeAgent: specs.BeforeAgent, abi.BeforeModel: specs.BeforeModel, abi.AfterModel: specs.AfterModel,
		abi.AfterAgent: specs.AfterAgent, abi.WrapModelCall: specs.WrapModelCall, abi.WrapToolCall: specs.WrapToolCall,
	}
	for _, hook := range abi.Hooks() {
		require.True(t, keys.Has(string(hook)))
		require.Same(t, want[hook], specs.Spec(hook))
		require.Nil(t, (&abi.HookSpecs{}).Spec(hook))
		require.Equal(t, hook != abi.WrapModelCall && hook != abi.WrapToolCall, hook.IsNode())
	}
	require.Nil(t, specs.Spec("another"))
}

func ExampleCall() {
	call := abi.Call("call_1", "search", map[string]any{"q": "go"})
	answer := abi.ToolResult(call, "3 hits")
	text, err := json.Marshal(answer)
	fmt.Println(string(text), err)
	// Output: {"content":"3 hits","name":"search","role":"tool","status":"success","tool_call_id":"call_1"} <nil>
}

func ExampleMessage() {
	var m abi.Message
	rest, err := m.UnmarshalMsg([]byte("\x82\xa7content\xa2hi\xa4role\xa5human"))
	fmt.Println(m.Role, m.Content.Text(), len(rest), err)

	b, err := m.MarshalMsg(nil)
	fmt.Printf("%q %v\n", b, err)
	// Output:
	// human hi 0 <nil>
	// "\x82\xa7content\xa2hi\xa4role\xa5human" <nil>
}
