package anthropic_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model/anthropic"
)

func blocks(role abi.Role, list ...abi.Block) abi.Message {
	return abi.Message{Role: role, Content: abi.Blocks(list...)}
}

// by is a message of a model.
func by(provider, name string, m abi.Message) abi.Message {
	m.Meta = wire.Map{{Key: "model", Value: wire.String(name)}, {Key: "provider", Value: wire.String(provider)}}
	return m
}

func named(b abi.Block) abi.Block {
	return abi.BlockOf(b.Fields().With(wire.Map{{Key: "name", Value: wire.String("a")}}))
}

func bad(id, name, args string) abi.InvalidToolCall {
	return abi.InvalidToolCall{ID: id, Name: name, Args: args, Error: "no JSON"}
}

func TestMessages(t *testing.T) {
	t.Parallel()
	const user = `{"role":"user","content":[{"type":"text","text":"hi"}]}`
	a, b := abi.Call("A", "f", map[string]any{"x": 1}), abi.Call("B", "g", nil)
	malformed := abi.AI("", a)
	malformed.InvalidToolCalls = []abi.InvalidToolCall{bad("X", "f", `{"y":2}`), bad("Y", "g", `{"y`), bad("Z", "g", `{}`)}
	foreign := abi.AI("", abi.Call("call 1:ü", "näme", nil))
	placed := blocks(abi.RoleAI, abi.TextBlock("one"), block(t, `{"type":"anthropic_tool_use","id":"B","caller":{"type":"code_execution_20250825","tool_id":"s"}}`),
		abi.TextBlock("two"), block(t, `{"type":"anthropic_tool_use","id":"gone"}`), block(t, `{"type":"anthropic_tool_use","id":"B"}`))
	placed.ToolCalls = []abi.ToolCall{a, b}
	failed := abi.ToolFailure(a, "")
	for _, test := range []struct {
		name     string
		messages []abi.Message
		want     string
	}{
		{"nothing", nil, `[{"role":"user","content":[{"type":"text","text":"."}]}]`},
		{"an empty message", []abi.Message{abi.Human("")}, `[{"role":"user","content":[{"type":"text","text":"."}]}]`},
		{"blanks", []abi.Message{abi.Human("hi"), abi.Human(" \n\t")}, `[` + user + `]`},
		{
			"an empty message behind an answer",
			[]abi.Message{abi.Human("hi"), abi.AI("yes"), abi.Human(""), abi.AI("\n\n")},
			`[` + user + `,{"role":"assistant","content":[{"type":"text","text":"yes"}]},{"role":"user","content":[{"type":"text","text":"."}]}]`,
		},
		{
			"the model speaks first, and is to go on",
			[]abi.Message{abi.AI("Hello "), abi.AI("there \n")},
			`[{"role":"user","content":[{"type":"text","text":"."}]},{"role":"assistant","content":[{"type":"text","text":"Hello "},{"type":"text","text":"there"}]}]`,
		},
		{
			"messages of one side are one",
			[]abi.Message{abi.Human("hi"), abi.Human("you"), abi.AI("a"), abi.AI("b"), abi.Human("hi")},
			`[{"role":"user","content":[{"type":"text","text":"hi"},{"type":"text","text":"you"}]},
				{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},` + user + `]`,
		},
		{
			"answers stand directly behind the calls, in their order",
			[]abi.Message{abi.Human("hi"), abi.AI("I call", a, b), abi.ToolResult(b, "2"), abi.Human("wait"), abi.AI("so"), abi.ToolResult(a, "1"), abi.Human("hi")},
			`[` + user + `,{"role":"assistant","content":[{"type":"text","text":"I call"},{"type":"tool_use","id":"A","name":"f","input":{"x":1}},{"type":"tool_use","id":"B","name":"g","input":{}}]},
				{"role":"user","content":[{"type":"tool_result","tool_use_id":"B","content":[{"type":"text","text":"2"}]},{"type":"tool_result","tool_use_id":"A","content":[{"type":"text","text":"1"}]},{"type":"text","text":"wait"}]},
				{"role":"assistant","content":[{"type":"text","text":"so"}]},` + user + `]`,
		},
		{
			"malformed calls that have an answer",
			[]abi.Message{abi.Human("hi"), malformed, abi.ToolResult(a, "1"), abi.ToolFailure(abi.ToolCall{ID: "X"}, "bad x"), abi.ToolFailure(abi.ToolCall{ID: "Y"}, "bad y")},
			`[` + user + `,{"role":"assistant","content":[{"type":"tool_use","id":"A","name":"f","input":{"x":1}},{"type":"tool_use","id":"X","name":"f","input":{"y":2}},{"type":"tool_use","id":"Y","name":"g","input":{}}]},
				{"role":"user","content":[{"type":"tool_result","tool_use_id":"A","content":[{"type":"text","text":"1"}]},
					{"type":"tool_result","tool_use_id":"X","is_error":true,"content":[{"type":"text","text":"bad x"}]},
					{"type":"tool_result","tool_use_id":"Y","is_error":true,"content":[{"type":"text","text":"bad y"}]}]}]`,
		},
		{
			"ids and names of other providers",
			[]abi.Message{abi.Human("hi"), foreign, abi.ToolResult(foreign.ToolCalls[0], "1")},
			`[` + user + `,{"role":"assistant","content":[{"type":"tool_use","id":"call_1__","name":"n_me","input":{}}]},
				{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_1__","content":[{"type":"text","text":"1"}]}]}]`,
		},
		{
			"ids that come again",
			[]abi.Message{abi.Human("hi"), abi.AI("", a), abi.ToolResult(a, "1"), abi.AI("", a), abi.ToolResult(a, "2"), abi.AI("", a, abi.Call("A_2", "f", nil)), abi.ToolResult(a, "3"), abi.ToolResult(abi.ToolCall{ID: "A_2"}, "4")},
			`[` + user + `,{"role":"assistant","content":[{"type":"tool_use","id":"A","name":"f","input":{"x":1}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"A","content":[{"type":"text","text":"1"}]}]},
				{"role":"assistant","content":[{"type":"tool_use","id":"A_2","name":"f","input":{"x":1}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"A_2","content":[{"type":"text","text":"2"}]}]},
				{"role":"assistant","content":[{"type":"tool_use","id":"A_3","name":"f","input":{"x":1}},{"type":"tool_use","id":"A_2_2","name":"f","input":{}}]},
				{"role":"user","content":[{"type":"tool_result","tool_use_id":"A_3","content":[{"type":"text","text":"3"}]},{"type":"tool_result","tool_use_id":"A_2_2","content":[{"type":"text","text":"4"}]}]}]`,
		},
		{
			"an answer to no call, for the API to refuse",
			[]abi.Message{abi.ToolResult(a, "1"), abi.Human("hi")},
			`[{"role":"user","content":[{"type":"tool_result","tool_use_id":"A","content":[{"type":"text","text":"1"}]},{"type":"text","text":"hi"}]}]`,
		},
		{
			"calls where the model placed them",
			[]abi.Message{abi.Human("hi"), placed, abi.ToolResult(a, ""), abi.ToolResult(b, "2")},
			`[` + user + `,{"role":"assistant","content":[{"type":"text","text":"one"},{"type":"tool_use","id":"B","name":"g","input":{},"caller":{"type":"code_execution_20250825","tool_id":"s"}},
					{"type":"text","text":"two"},{"type":"tool_use","id":"A","name":"f","input":{"x":1}}]},
				{"role":"user","content":[{"type":"tool_result","tool_use_id":"A"},{"type":"tool_result","tool_use_id":"B","content":[{"type":"text","text":"2"}]}]}]`,
		},
		{
			"a failure without a text",
			[]abi.Message{abi.Human("hi"), abi.AI("", a), failed},
			`[` + user + `,{"role":"assistant","content":[{"type":"tool_use","id":"A","name":"f","input":{"x":1}}]},
				{"role":"user","content":[{"type":"tool_result","tool_use_id":"A","is_error":true,"content":[{"type":"text","text":"The tool failed."}]}]}]`,
		},
		{
			"arguments that are none",
			[]abi.Message{abi.Human("hi"), abi.AI("", abi.ToolCall{ID: "A"}, abi.ToolCall{ID: "B", Name: "g", Args: wire.Raw{0x81, 0xa1}}, abi.ToolCall{ID: "C", Name: "h", Args: wire.Int(1)})},
			`[` + user + `,{"role":"assistant","content":[{"type":"tool_use","id":"A","name":"_","input":{}},{"type":"tool_use","id":"B","name":"g","input":{}},{"type":"tool_use","id":"C","name":"h","input":{}}]}]`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, value(t, test.want), sent(t, request(test.messages...))["messages"])
		})
	}
}

func TestBlocksOfPeopleAndTools(t *testing.T) {
	t.Parallel()
	const document = `{"type":"document","source":`
	for _, test := range []struct {
		name  string
		block abi.Block
		want  string // "": nothing is said
	}{
		{"text", abi.TextBlock("x"), `{"type":"text","text":"x"}`},
		{"broken text", abi.TextBlock("a\xffb"), `{"type":"text","text":"a�b"}`},
		{"marked text", block(t, `{"type":"text","text":"x","cache_control":{"type":"ephemeral","ttl":"1h","new":1}}`), `{"type":"text","text":"x","cache_control":{"type":"ephemeral","ttl":"1h","new":1}}`},
		{"a mark that is none", block(t, `{"type":"text","text":"x","cache_control":true}`), `{"type":"text","text":"x"}`},
		{"blank", abi.TextBlock(" \n"), ``},
		{"reasoning", abi.ReasoningBlock("x", "y"), ``},
		{"image", abi.ImageBlock("image/JPG; q=1", []byte("abc")), `{"type":"image","source":{"type":"base64","media_type":"image/jpeg","data":"YWJj"}}`},
		{"image of a type that it does not take", named(abi.ImageBlock("image/svg+xml", []byte("abc"))), `{"type":"text","text":"[image a]"}`},
		{"image by address", abi.ImageURLBlock("https://e.com/a"), `{"type":"image","source":{"type":"url","url":"https://e.com/a"}}`},
		{"image in an address", abi.ImageURLBlock("data:image/webp;base64,YWJj"), `{"type":"image","source":{"type":"base64","media_type":"image/webp","data":"YWJj"}}`},
		{"image in an address of another form", named(abi.ImageURLBlock("data:image/webp,x")), `{"type":"text","text":"[image a]"}`},
		{"image without", block(t, `{"type":"image","name":"a"}`), `{"type":"text","text":"[image a]"}`},
		{"pdf", abi.FileBlock("a.pdf", "application/pdf", []byte("abc")), document + `{"type":"base64","media_type":"application/pdf","data":"YWJj"},"title":"a.pdf"}`},
		{"pdf by address", block(t, `{"type":"file","url":"https://e.com/a.pdf","cache_control":{"type":"ephemeral"}}`), document + `{"type":"url","url":"https://e.com/a.pdf"},"cache_control":{"type":"ephemeral"}}`},
		{"text file", abi.FileBlock("a.md", "text/markdown; charset=utf-8", []byte("# Ü")), document + `{"type":"text","media_type":"text/plain","data":"# Ü"},"title":"a.md"}`},
		{"text file in an address", block(t, `{"type":"file","url":"data:application/json;base64,e30="}`), document + `{"type":"text","media_type":"text/plain","data":"{}"}}`},
		{"text file of other bytes", abi.FileBlock("a.txt", "text/plain", []byte{0xff}), `{"type":"text","text":"[file a.txt]"}`},
		{"empty file", abi.FileBlock("a.txt", "text/plain", nil), `{"type":"text","text":"[file a.txt]"}`},
		{"other file", abi.FileBlock("a.zip", "application/zip", []byte("x")), `{"type":"text","text":"[file a.zip]"}`},
		{"other file by address", block(t, `{"type":"file","url":"https://e.com/a.zip","mime_type":"application/zip","name":"a.zip"}`), `{"type":"text","text":"[file a.zip]"}`},
		{"the provider's own", block(t, `{"type":"anthropic_search_result","source":"s","title":"t","content":[{"type":"text","text":"x"}],"citations":{"enabled":true}}`), `{"type":"search_result","source":"s","title":"t","content":[{"type":"text","text":"x"}],"citations":{"enabled":true}}`},
		{"another provider's", block(t, `{"type":"openai_thing","x":1}`), `{"type":"text","text":"{\"type\":\"openai_thing\",\"x\":1}"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			call := abi.Call("A", "f", nil)
			answer := blocks(abi.RoleTool, test.block)
			answer.ToolCallID = "A"
			body := sent(t, request(blocks(abi.RoleHuman, abi.TextBlock("hi"), test.block), abi.AI("", call), answer))
			said := of[[]any](t, at(t, body, 0)["content"])
			result := of[map[string]any](t, of[[]any](t, at(t, body, 2)["content"])[0])
			if test.want == "" {
				require.Len(t, said, 1)
				require.NotContains(t, result, "content")
				return
			}
			want := of[map[string]any](t, value(t, test.want))
			require.Equal(t, want, said[1])
			require.Equal(t, want["cache_control"], result["cache_control"], "the mark stands at the answer")
			delete(want, "cache_control")
			require.Equal(t, []any{want}, result["content"])
		})
	}
}

func at(t testing.TB, body map[string]any, i int) map[string]any {
	t.Helper()
	return of[map[string]any](t, of[[]any](t, body["messages"])[i])
}

func TestAFailureShowsPicturesBehindAllAnswers(t *testing.T) {
	t.Parallel()
	a, b := abi.Call("A", "f", nil), abi.Call("B", "g", nil)
	failed := abi.ToolFailure(a, "")
	failed.Content = abi.Blocks(image(t), abi.TextBlock("see"))
	body := sent(t, request(abi.Human("hi"), abi.AI("", a, b), failed, abi.ToolResult(b, "2"), abi.Human("so?")))
	require.Equal(t, value(t, `[{"type":"tool_result","tool_use_id":"A","is_error":true,"content":[{"type":"text","text":"see"}]},
		{"type":"tool_result","tool_use_id":"B","content":[{"type":"text","text":"2"}]},
		{"type":"image","source":{"type":"base64","media_type":"image/png","data":"`+oraclePNG+`"}},{"type":"text","text":"so?"}]`), at(t, body, 2)["content"])
}

func TestBlocksOfTheModel(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		block abi.Block
		want  string
	}{
		{"marked text", block(t, `{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}`), `{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}`},
		{"cited text", block(t, `{"type":"text","text":"x","citations":[{"type":"char_location","file_id":null,"document_title":null},"x",{}]}`), `{"type":"text","text":"x","citations":[{"type":"char_location","document_title":null}]}`},
		{"citations that are none", block(t, `{"type":"text","text":"x","citations":[]}`), `{"type":"text","text":"x"}`},
		{"image", named(image(t)), `{"type":"text","text":"[image a]"}`},
		{"another provider's", block(t, `{"type":"openai_thing","x":1}`), ``},
		{"a program's", block(t, `{"type":"chart","x":1}`), `{"type":"text","text":"{\"type\":\"chart\",\"x\":1}"}`},
		{"blank", abi.TextBlock("\n\n"), ``},
		{"a thought that nobody signed", abi.ReasoningBlock("x", ""), ``},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			body := sent(t, request(abi.Human("hi"), blocks(abi.RoleAI, test.block, abi.TextBlock("end")), abi.Human("go")))
			content := of[[]any](t, at(t, body, 1)["content"])
			if test.want == "" {
				require.Len(t, content, 1)
				return
			}
			require.Equal(t, value(t, test.want), content[0])
		})
	}
}

func TestThoughtsThatAreSentBack(t *testing.T) {
	t.Parallel()
	thought := blocks(abi.RoleAI, abi.ReasoningBlock("x", "sig"), abi.TextBlock("y"), abi.ReasoningBlock("z", "sig"))
	for _, test := range []struct {
		name, settings, model string
		message               abi.Message
		want                  bool
	}{
		{"thinking", `{"thinking":{"type":"enabled"}}`, "m", thought, true},
		{"thinking, of another model", `{"thinking":{"type":"adaptive"}}`, "m", by("anthropic", "claude-x", thought), true},
		{"between tools", `{"thinking":{"type":"between_tools"}}`, "m", thought, true},
		{"off", `{"thinking":{"type":"disabled"}}`, "m", thought, false},
		{"of another provider", `{"thinking":{"type":"enabled"}}`, "m", by("openai", "m", thought), false},
		{"not set, nobody knows of which model", `{}`, "m", thought, true},
		{"not set, of this model", `{}`, "claude-haiku-4-5", by("anthropic", "claude-haiku-4-5-20251001", thought), true},
		{"not set, of this model, the latest", `{"thinking":null}`, "claude-haiku-4-5-latest", by("anthropic", "claude-haiku-4-5-20251001", thought), true},
		{"not set, of another model", `{}`, "claude-haiku-4-5", by("anthropic", "claude-sonnet-4-5-20250929", thought), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			body := sent(t, request(abi.Human("hi"), test.message, abi.Human("go")).WithSettings(settings(t, test.settings)), func(m *anthropic.Model) { m.Name = test.model })
			want := `[{"type":"text","text":"y"}]`
			if test.want {
				want = `[{"type":"thinking","thinking":"x","signature":"sig"},{"type":"text","text":"y"}]`
			}
			require.Equal(t, value(t, want), at(t, body, 1)["content"], "never one at the end")
		})
	}
	only := blocks(abi.RoleAI, abi.ReasoningBlock("x", "sig"))
	require.Len(t, sent(t, request(abi.Human("hi"), only, abi.Human("go")))["messages"], 1)
}

func TestLongNamesAndManyEqualIDs(t *testing.T) {
	t.Parallel()
	var messages []abi.Message
	seen := map[string]bool{}
	for range 2000 {
		call := abi.Call("same", fmt.Sprintf("%0200d", 1), nil)
		messages = append(messages, abi.AI("", call), abi.ToolResult(call, "1"))
	}
	body := sent(t, request(messages...))
	for i := range of[[]any](t, body["messages"]) {
		for _, b := range of[[]any](t, at(t, body, i)["content"]) {
			if b := of[map[string]any](t, b); b["type"] == "tool_use" {
				id := of[string](t, b["id"])
				require.Len(t, b["name"], 128)
				require.False(t, seen[id])
				seen[id] = true
			}
		}
	}
	require.Len(t, seen, 2000)
}
