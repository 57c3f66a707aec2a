package abi_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// aiMessage returns a message that sets every key that a patch could change.
func aiMessage() abi.Message {
	return abi.Message{
		Artifact: rawOf("artifact"), Content: abi.Blocks(abi.TextBlock("a"), abi.ReasoningBlock("r", "sig")), ID: "m1",
		InvalidToolCalls: []abi.InvalidToolCall{{Args: "{", Error: "cut", ID: "c2", Name: "search"}},
		Meta:             mapOf(map[string]any{"a": 1}), Name: "bot", Role: abi.RoleAI, Status: "success", ToolCallID: "c0",
		ToolCalls: []abi.ToolCall{abi.Call("c1", "search", map[string]any{"q": "go"}), abi.Call("c3", "fetch", nil)},
		Usage:     &abi.Usage{InputTokens: 1, OutputTokens: 2, TotalTokens: 3},
	}
}

func patchOf(t testing.TB, text string) abi.Patch {
	t.Helper()
	var p abi.Patch
	require.NoError(t, json.Unmarshal([]byte(text), &p))
	return p
}

func TestPatchReplacesItsKeysAndKeepsTheOthers(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, patch string
		change      func(m *abi.Message)
	}{
		{"nothing", `{"id":"m1"}`, func(*abi.Message) {}},
		{"no keys at all", `{}`, func(*abi.Message) {}},
		{"the same id and role", `{"id":"m1","role":"ai"}`, func(*abi.Message) {}},
		{"a key that we do not know", `{"id":"m1","tomorrow":1}`, func(*abi.Message) {}},
		{"content", `{"id":"m1","content":"b"}`, func(m *abi.Message) { m.Content = abi.Text("b") }},
		{"content to nothing", `{"id":"m1","content":""}`, func(m *abi.Message) { m.Content = abi.Content{} }},
		{"name", `{"id":"m1","name":""}`, func(m *abi.Message) { m.Name = "" }},
		{"artifact", `{"id":"m1","artifact":null}`, func(m *abi.Message) { m.Artifact = wire.Raw{0xc0} }},
		{"meta as a whole", `{"id":"m1","meta":{"b":2}}`, func(m *abi.Message) { m.Meta = mapOf(map[string]any{"b": 2}) }},
		{"status", `{"id":"m1","status":"error"}`, func(m *abi.Message) { m.Status = "error" }},
		{
			"tool calls as a whole", `{"id":"m1","tool_calls":[{"id":"c9","name":"x"}]}`,
			func(m *abi.Message) { m.ToolCalls = []abi.ToolCall{{ID: "c9", Name: "x"}} },
		},
		{"no tool calls", `{"id":"m1","tool_calls":[]}`, func(m *abi.Message) { m.ToolCalls = nil }},
		{
			"invalid tool calls as a whole", `{"id":"m1","invalid_tool_calls":[{"id":"c9","name":"x","args":"["}]}`,
			func(m *abi.Message) { m.InvalidToolCalls = []abi.InvalidToolCall{{Args: "[", ID: "c9", Name: "x"}} },
		},
		{
			"usage as a whole", `{"id":"m1","usage":{"input_tokens":9}}`,
			func(m *abi.Message) { m.Usage = &abi.Usage{InputTokens: 9} },
		},
		{"no usage", `{"id":"m1","usage":null}`, func(m *abi.Message) { m.Usage = nil }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			m, want := aiMessage(), aiMessage()
			tc.change(&want)
			p := patchOf(t, tc.patch)
			got, err := p.Apply(&m)
			require.NoError(t, err)
			require.Equal(t, want, got)
			require.Equal(t, aiMessage(), m, "the message itself stays as it is")
			require.JSONEq(t, tc.patch, wire.Raw(marshal(t, p)).JSON(), "the patch too")
		})
	}
}

func TestPatchedMessageSharesNothingThatCouldChange(t *testing.T) {
	t.Parallel()
	m := aiMessage()
	got, err := abi.NewPatch("m1").Apply(&m)
	require.NoError(t, err)
	got.ToolCalls[0].Name = "changed"
	got.InvalidToolCalls[0].Name = "changed"
	got.Usage.InputTokens = 99
	require.Equal(t, aiMessage(), m)
}

func TestPatchRefuses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, patch, err string }{
		{"another id", `{"id":"m2"}`, `patch: of message "m1" changes its id`},
		{"an id that is a number", `{"id":1}`, `patch: of message "m1" changes its id`},
		{"another role", `{"id":"m1","role":"human"}`, `patch: of message "m1" changes its role`},
		{"a role that is nil", `{"id":"m1","role":null}`, `patch: of message "m1" changes its role`},
		{"content that is a number", `{"id":"m1","content":1}`, `patch: of message "m1": content: must be a string or an array of blocks at Content`},
		{"a name that is a number", `{"id":"m1","name":1}`, `patch: of message "m1": msgp: attempted to decode type "int" with method for "str" at Name`},
		{"tool calls that are a map", `{"id":"m1","tool_calls":{}}`, `patch: of message "m1": msgp: attempted to decode type "map" with method for "array" at ToolCalls`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			m := aiMessage()
			got, err := patchOf(t, tc.patch).Apply(&m)
			require.EqualError(t, err, tc.err)
			var documentError *abi.DocumentError
			require.ErrorAs(t, err, &documentError)
			require.Equal(t, aiMessage(), m)
			require.Equal(t, aiMessage(), got)
		})
	}
}

func TestPatchKeepsKeysThatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	b := unhex(t, "82 a2 6964 a2 6d31 a8 746f6d6f72726f77 92 ca 3fc00000 c4 01 ff")
	var p abi.Patch
	_, err := p.UnmarshalMsg(b)
	require.NoError(t, err)
	require.Equal(t, b, marshal(t, p))
	require.Equal(t, b, marshal(t, p.Set("tomorrow", p.Keys().Get("tomorrow"))))
}

func TestPatchIsNotChangedBySet(t *testing.T) {
	t.Parallel()
	base := abi.NewPatch("m1")
	one := base.SetContent(abi.Text("1"))
	two := base.SetContent(abi.Text("2")).Set("name", wire.String("x"))
	text, err := json.Marshal(base)
	require.NoError(t, err)
	require.Equal(t, `{"id":"m1"}`, string(text))
	require.JSONEq(t, `{"id":"m1","content":"1"}`, wire.Raw(marshal(t, one)).JSON())
	require.JSONEq(t, `{"id":"m1","content":"2","name":"x"}`, wire.Raw(marshal(t, two)).JSON())
	require.Equal(t, "m1", two.ID())
	require.False(t, two.IsZero())
	require.True(t, abi.Patch{}.IsZero())
	require.Empty(t, abi.Patch{}.ID())
}

func TestPatchOfAMessageIsTheMessage(t *testing.T) {
	t.Parallel()
	m := aiMessage()
	p, err := abi.PatchOf(&m)
	require.NoError(t, err)
	require.Equal(t, "m1", p.ID())
	require.Equal(t, marshal(t, &m), marshal(t, p))

	back, err := p.Message()
	require.NoError(t, err)
	require.Equal(t, m, back)

	_, err = patchOf(t, `{"role":1}`).Message()
	require.EqualError(t, err, `message: msgp: attempted to decode type "int" with method for "str" at Role`)
}

func TestPatchUnmarshalRefusesWhatIsNoMap(t *testing.T) {
	t.Parallel()
	var p abi.Patch
	_, err := p.UnmarshalMsg([]byte{0x90})
	require.EqualError(t, err, "msgpack: at byte 0: a map is expected")
}

func ExamplePatch_Apply() {
	m := abi.AI("Call 555-0100.")
	m.ID = "m2"
	redacted, err := abi.NewPatch("m2").SetContent(abi.Text("Call [redacted].")).Apply(&m)
	fmt.Println(redacted.Content.Text(), err)

	_, err = abi.NewPatch("m2").Set("role", wire.String("human")).Apply(&m)
	fmt.Println(err)
	// Output:
	// Call [redacted]. <nil>
	// patch: of message "m2" changes its role
}
