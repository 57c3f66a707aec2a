package langchain_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/server/internal/langchain"
)

func read(t *testing.T, text string) *langchain.Input {
	t.Helper()
	in, err := langchain.Read(json.RawMessage(text))
	require.NoError(t, err, text)
	return in
}

// What a client sends comes back in LangChain's form.
func TestMessages(t *testing.T) {
	t.Parallel()
	const common = `"additional_kwargs":{},"response_metadata":{},`
	for sent, shown := range map[string]string{
		`"hi"`:                             `{"content":"hi",` + common + `"type":"human","name":null,"id":null}`,
		`["ai","hi"]`:                      ``,
		`[["ai","hi"]]`:                    `{"content":"hi",` + common + `"type":"ai","name":null,"id":null,"tool_calls":[],"invalid_tool_calls":[],"usage_metadata":null}`,
		`{"role":"user","content":"hi"}`:   `{"content":"hi",` + common + `"type":"human","name":null,"id":null}`,
		`{"type":"system","content":"hi"}`: `{"content":"hi",` + common + `"type":"system","name":null,"id":null}`,
		`{"type":"tool","content":"hi","tool_call_id":"c","name":"t","id":"m","artifact":{"a":1}}`: `{"content":"hi",` + common +
			`"type":"tool","name":"t","id":"m","tool_call_id":"c","artifact":{"a":1},"status":"success"}`,
		`{"type":"tool","content":"no","tool_call_id":"c","status":"error"}`: `{"content":"no",` + common +
			`"type":"tool","name":null,"id":null,"tool_call_id":"c","artifact":null,"status":"error"}`,
		`{"type":"ai","content":"","tool_calls":[{"name":"t","args":{"n":1},"id":"c"}],"invalid_tool_calls":[{"name":"t","args":"{","id":"d","error":"e"}],` +
			`"usage_metadata":{"input_tokens":1,"output_tokens":2,"total_tokens":3,"input_token_details":{"cache_read":1},"output_token_details":{"reasoning":1}}}`: `{"content":"",` +
			common + `"type":"ai","name":null,"id":null,"tool_calls":[{"name":"t","args":{"n":1},"id":"c","type":"tool_call"}],` +
			`"invalid_tool_calls":[{"name":"t","args":"{","id":"d","error":"e","type":"invalid_tool_call"}],` +
			`"usage_metadata":{"input_tokens":1,"output_tokens":2,"total_tokens":3,"input_token_details":{"cache_read":1},"output_token_details":{"reasoning":1}}}`,
		`{"type":"human","content":"hi","additional_kwargs":{"a":{"b":[1]}},"response_metadata":{"c":true}}`: `{"content":"hi",` +
			`"additional_kwargs":{"a":{"b":[1]}},"response_metadata":{"c":true},"type":"human","name":null,"id":null}`,
	} {
		if shown == "" {
			_, err := langchain.Read(json.RawMessage(sent))
			require.NoError(t, err, "two texts of the user")
			continue
		}
		in := read(t, sent)
		require.Len(t, in.Messages, 1, sent)
		require.JSONEq(t, shown, string(langchain.Message(&in.Messages[0])), sent)
	}
}

// Media come back in the form in which they were sent, and keys that could steer a provider are left out.
func TestMedia(t *testing.T) {
	t.Parallel()
	for sent, shown := range map[string]string{
		`{"type":"image","base64":"AAAA","mime_type":"image/png","cache_control":{}}`:                     `{"type":"image","base64":"AAAA","mime_type":"image/png"}`,
		`{"type":"image","data":"AAAA","mimeType":"image/png","metadata":{"name":"x.png"},"file_id":"f"}`: `{"type":"image","data":"AAAA","mimeType":"image/png","mime_type":"image/png","metadata":{"name":"x.png"},"name":"x.png"}`,
		`{"type":"file","source_type":"base64","data":"AAAA","mime_type":"application/pdf"}`:              `{"type":"file","source_type":"base64","data":"AAAA","mime_type":"application/pdf"}`,
		`{"type":"image","url":"https://x.example/a.png"}`:                                                `{"type":"image","url":"https://x.example/a.png"}`,
		`{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}`:                           `{"type":"image","base64":"AAAA","mime_type":"image/png"}`,
		`{"type":"image_url","image_url":"https://x.example/a.png"}`:                                      `{"type":"image","url":"https://x.example/a.png"}`,
	} {
		in := read(t, `{"type":"human","content":[{"type":"text","text":"see"},`+sent+`]}`)
		var got struct {
			Content []json.RawMessage `json:"content"`
		}
		require.NoError(t, json.Unmarshal(langchain.Message(&in.Messages[0]), &got))
		require.Len(t, got.Content, 2)
		require.JSONEq(t, shown, string(got.Content[1]), sent)
		if blocks := in.Messages[0].Content.Blocks(); blocks[1].String("url") == "" {
			require.Equal(t, []byte{0, 0, 0}, blocks[1].Data(), "a model gets the bytes")
		}
	}
}

func TestRemovals(t *testing.T) {
	t.Parallel()
	in := read(t, `[{"type":"human","content":"a"},{"type":"remove","id":"x"}]`)
	require.Equal(t, []string{"x"}, in.Remove)
	in = read(t, `[{"type":"human","content":"a"},{"type":"remove","id":"__remove_all__"},"b"]`)
	require.True(t, in.Reset)
	require.Equal(t, []abi.Message{abi.Human("b")}, in.Messages, "only what follows")
}

func TestChunks(t *testing.T) {
	t.Parallel()
	require.JSONEq(t, `{"content":"a","additional_kwargs":{},"response_metadata":{},"type":"AIMessageChunk","name":null,"id":"m","tool_calls":[],"invalid_tool_calls":[],`+
		`"usage_metadata":null,"tool_call_chunks":[],"chunk_position":null}`, string(langchain.TextChunk("m", "a")))
	require.Contains(t, string(langchain.CallChunk("m", &model.CallPiece{ID: "c", Name: "t", Args: "{"})), `"tool_calls":[{"name":"t","args":{},"id":"c","type":"tool_call"}]`)
	require.Contains(t, string(langchain.CallChunk("m", &model.CallPiece{Args: "}"})), `"invalid_tool_calls":[{"name":null,"args":"}","id":null,"error":null,"type":"invalid_tool_call"}]`)
	m := abi.AI("", abi.Call("c", "t", map[string]any{"n": 1}))
	require.Contains(t, string(langchain.LastChunk(&m, "m", true)), `"tool_call_chunks":[{"name":"t","args":"{\"n\":1}","id":"c","index":0,"type":"tool_call_chunk"}],"chunk_position":"last"`)
}

// FuzzRead holds for every text: nothing panics, and a message that was read is shown in a form that reads as the same message.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		`"hi"`, `["a",["human",[]]]`, `{"role":"assistant","content":[{"type":"image","data":"AA==","mimeType":"x/y"}]}`, `{"type":"remove","id":"__remove_all__"}`,
		`{"type":"ai","content":null,"tool_calls":[{"name":"t","args":{},"id":null}]}`, `{"type":"tool","content":"x","tool_call_id":"c","artifact":[1.5,null]}`,
		`{"type":"human","content":[{"type":"image_url","image_url":{"url":"data:x/y;base64,AA=="}}],"additional_kwargs":{"additional_kwargs":1}}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		in, err := langchain.Read(text)
		if err != nil {
			return
		}
		for i := range in.Messages {
			shown := langchain.Message(&in.Messages[i])
			again, err := langchain.Read(shown)
			require.NoError(t, err, "%s", shown)
			require.Len(t, again.Messages, 1)
			require.JSONEq(t, string(shown), string(langchain.Message(&again.Messages[0])))
		}
	})
}
