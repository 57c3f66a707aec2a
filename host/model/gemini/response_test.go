package gemini_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/gemini"
)

func TestResponses(t *testing.T) {
	t.Parallel()
	const id = "0dIhafLdKt2yvdIP8K2Z0AE"
	const ids = `"provider":"gemini","model":"gemini-3-flash-preview","stop_reason":"STOP","id":"` + id + `"`
	block := func(text string) abi.Block { return abi.BlockOf(mapOf(t, text)) }
	call := func(id, name, args string) abi.ToolCall {
		return abi.ToolCall{ID: id, Name: name, Args: rawOf(t, args)}
	}
	// None of these gives its calls signatures, and some no ids.
	calls := func(names ...string) string {
		var out []string
		for i := 0; i < len(names); i += 2 {
			entry := `{"name":"` + names[i+1] + `"`
			if names[i] != "" {
				entry += `,"id":"` + names[i] + `"`
			}
			out = append(out, entry+"}")
		}
		return `"gemini_calls":[` + strings.Join(out, ",") + `]`
	}
	const calling = `"provider":"gemini","stop_reason":"FUNCTION_CALL"`
	for _, test := range []struct {
		name    string // of the file
		message abi.Message
		meta    string
		usage   *abi.Usage
	}{
		{
			name: "documented/thinking",
			message: abi.Message{
				Content: abi.Blocks(abi.ReasoningBlock("**Weather**\n\nThe person asks for two cities.", ""), abi.TextBlock("I look it up.")),
				ToolCalls: []abi.ToolCall{
					call("fc_8f1a", "get_weather", `{"city":"Zürich","station":9007199254740993}`), call("fc_8f1b", "get_weather", `{"city":"Bern"}`),
				},
			},
			meta: `{` + ids + `,"gemini_calls":[{"name":"get_weather","id":"fc_8f1a","thought_signature":"EjQKMgG+Pvb7/w=="},{"name":"get_weather","id":"fc_8f1b"}],
				"gemini":{"safetyRatings":[{"category":"HARM_CATEGORY_HARASSMENT","probability":"NEGLIGIBLE"}]}}`,
			usage: &abi.Usage{InputTokens: 1200, OutputTokens: 130, TotalTokens: 1330, CacheReadTokens: 1024, ReasoningTokens: 100},
		},
		{
			name: "documented/signed-text",
			message: abi.Message{Content: abi.Blocks(
				abi.TextBlock("It is 21 °C."), block(`{"type":"text","text":"","thought_signature":"c2lnLfv/"}`))},
			meta: `{` + ids + `}`, usage: &abi.Usage{InputTokens: 9, OutputTokens: 7, TotalTokens: 16},
		},
		{
			name: "documented/code-and-search",
			message: abi.Message{Content: abi.Blocks(
				abi.TextBlock("I compute."),
				block(`{"type":"gemini_executableCode","part":{"executableCode":{"language":"PYTHON","code":"print(6*7)","id":"x1"},"thoughtSignature":"AAEC"}}`),
				block(`{"type":"gemini_codeExecutionResult","part":{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"42\n","id":"x1"}}}`),
				abi.TextBlock("It is 42."))},
			meta: `{` + ids + `,"gemini":{"groundingMetadata":{"webSearchQueries":["six times seven"],"groundingChunks":[{"web":{"uri":"https://example.com","title":"example.com"}}],
				"groundingSupports":[{"segment":{"endIndex":12},"groundingChunkIndices":[0],"confidenceScores":[0.5]}]}}}`,
			usage: &abi.Usage{InputTokens: 50, OutputTokens: 16, TotalTokens: 66, ReasoningTokens: 5},
		},
		{
			name: "documented/media",
			message: abi.Message{Content: abi.Blocks(
				block(`{"type":"gemini_inlineData","part":{"inlineData":{"mimeType":"image/png","data":"AAAA"},"thought":true}}`),
				abi.BlockOf(abi.ImageBlock("image/png", []byte("\x89PNG\r\n\x1a\n")).Fields().With(wire.Map{{Key: gemini.KeySignature, Value: wire.String("c2ln")}})),
				abi.BlockOf(abi.ImageBlock("audio/wav", []byte("RIFF")).Fields().With(wire.Map{{Key: "type", Value: wire.String("file")}})))},
			meta: `{` + ids + `}`,
		},
		{
			name: "aimock/text", message: abi.AI("Hello from aimock. Grüße, 世界 🎉 done."), meta: `{"provider":"gemini","stop_reason":"STOP"}`,
			usage: &abi.Usage{InputTokens: 11, OutputTokens: 7, TotalTokens: 18},
		},
		{
			name: "aimock/one-tool", message: abi.AI("", call("call_A", "get_weather", `{"city":"Zürich","unit":"c"}`)), meta: `{` + calling + `,` + calls("call_A", "get_weather") + `}`,
			usage: &abi.Usage{InputTokens: 20, OutputTokens: 9, TotalTokens: 29},
		},
		{
			name: "aimock/two-tools", message: abi.AI("", call("call_A", "get_weather", `{"city":"Zürich"}`), call("call_B", "get_time", `{"tz":"Europe/Zurich","format":"iso8601-with-offset"}`)),
			meta: `{` + calling + `,` + calls("call_A", "get_weather", "call_B", "get_time") + `}`, usage: &abi.Usage{},
		},
		{
			name: "aimock/mixed", message: abi.AI("Let me look.", call("call_A", "get_weather", `{"city":"Zürich"}`)),
			meta: `{` + calling + `,` + calls("call_A", "get_weather") + `}`, usage: &abi.Usage{},
		},
		{
			name: "aimock/blocks", message: abi.AI("In between text.", call("call_A", "get_weather", `{"city":"SF"}`), call("call_B", "get_time", `{"tz":"UTC"}`)),
			meta: `{` + calling + `,` + calls("call_A", "get_weather", "call_B", "get_time") + `}`, usage: &abi.Usage{},
		},
		{
			name: "aimock/think-tool", message: abi.Message{
				Content: abi.Blocks(abi.ReasoningBlock("I need the weather tool.", "")), ToolCalls: []abi.ToolCall{call("toolu_1", "get_weather", `{"city":"Bern"}`)},
			},
			meta: `{` + calling + `,` + calls("toolu_1", "get_weather") + `}`, usage: &abi.Usage{InputTokens: 30, OutputTokens: 15, TotalTokens: 45},
		},
		{name: "aimock/length", message: abi.AI("This was cut"), meta: `{"provider":"gemini","stop_reason":"MAX_TOKENS"}`, usage: &abi.Usage{}},
		{name: "aimock/filter", message: abi.AI("I can"), meta: `{"provider":"gemini","stop_reason":"SAFETY"}`, usage: &abi.Usage{}},
		{name: "aimock/empty", message: abi.AI(""), meta: `{"provider":"gemini","stop_reason":"STOP"}`, usage: &abi.Usage{}},
		{name: "aimock/usage-details", message: abi.AI("Cached."), meta: `{"provider":"gemini","stop_reason":"STOP"}`, usage: &abi.Usage{InputTokens: 100, OutputTokens: 50, TotalTokens: 150}},
		{name: "aimock/noid-tool", message: abi.AI("", call("", "get_weather", `{"city":"X"}`)), meta: `{` + calling + `}`, usage: &abi.Usage{}},
		{name: "aimock/noargs-tool", message: abi.AI("", call("call_N", "list_all", `{}`)), meta: `{` + calling + `,` + calls("call_N", "list_all") + `}`, usage: &abi.Usage{}},
		{name: "aimock/nousage", message: abi.AI("No usage given."), meta: `{"provider":"gemini","stop_reason":"STOP"}`, usage: &abi.Usage{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			want := model.Reply(test.message)
			want.Messages[0].Meta, want.Messages[0].Usage = mapOf(t, test.meta), test.usage
			want.StopReason, _ = want.Messages[0].Meta.Get("stop_reason").AsString()
			want.Model, _ = want.Messages[0].Meta.Get("model").AsString()
			got, err := modelAt(t, saying(t, testdata(t, test.name+".json"))).Generate(t.Context(), request(abi.Human("hi")))
			require.NoError(t, err)
			require.Equal(t, want, got)
			text := testdata(t, test.name+".sse")
			for name, text := range map[string]string{
				"as it came":                            text,
				"LF":                                    strings.ReplaceAll(text, "\r", ""),
				"CRLF":                                  strings.ReplaceAll(strings.ReplaceAll(text, "\r", ""), "\n", "\r\n"),
				"CR":                                    strings.ReplaceAll(strings.ReplaceAll(text, "\r", ""), "\n", "\r"),
				"with comments, pings and other fields": "\uFEFF: hello\n\n" + strings.ReplaceAll(text, "data: ", ":\nid: 7\nevent: message\nretry: 1\ndata:"),
				"with an end, as others":                text + "data: [DONE]\n\n",
				"without the last line":                 strings.TrimRight(text, "\r\n"),
				"with data in lines":                    strings.ReplaceAll(text, `{"candidates"`, "{\ndata:\"candidates\""),
			} {
				chunks, streamed, err := stream(t.Context(), modelAt(t, saying(t, text)), request(abi.Human("hi")))
				require.NoError(t, err, name)
				require.Equal(t, want, streamed, name)
				var said, thought string
				for _, chunk := range chunks {
					require.NotEmpty(t, chunk.Text+chunk.Reasoning, name)
					said += chunk.Text
					thought += chunk.Reasoning
				}
				require.Equal(t, want.AI().Content.Text(), said, name)
				for _, block := range want.AI().Content.Blocks() {
					if block.Type() == abi.BlockReasoning {
						require.Equal(t, block.Text(), thought, name)
					}
				}
			}
		})
	}
}

// TestOtherServers reads what stubllm sends, whose streams lack a part of what its responses have.
func TestOtherServers(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"text": "Hello from stubllm. Grüße, 世界 🎉 done.", "max_tokens": "This was cut"} {
		resp, err := modelAt(t, saying(t, testdata(t, "stubllm", name+".json"))).Generate(t.Context(), request(abi.Human("hi")))
		require.NoError(t, err)
		require.Equal(t, text, resp.AI().Content.Text())
		require.Equal(t, "gemini-2.5-pro", resp.Model)
		_, resp, err = stream(t.Context(), modelAt(t, saying(t, testdata(t, "stubllm", name+".sse"))), request(abi.Human("hi")))
		require.NoError(t, err)
		require.Equal(t, text, resp.AI().Content.Text())
		require.Nil(t, resp.AI().Usage)
	}
	resp, err := modelAt(t, saying(t, testdata(t, "stubllm", "two-tools.json"))).Generate(t.Context(), request(abi.Human("hi")))
	require.NoError(t, err)
	require.Len(t, resp.AI().ToolCalls, 2)
	_, err = ask(t.Context(), modelAt(t, saying(t, testdata(t, "stubllm", "two-tools.sse"))), request(abi.Human("hi")), true)
	require.ErrorContains(t, err, "the stream ended before the answer was complete")
}

// TestAnswersGoBackAsTheyCame sends what came to the model again, as the host keeps it.
func TestAnswersGoBackAsTheyCame(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"thinking": `[{"text":"**Weather**\n\nThe person asks for two cities.","thought":true},{"text":"I look it up."},
			{"functionCall":{"name":"get_weather","args":{"city":"Zürich","station":9007199254740993},"id":"fc_8f1a"},"thoughtSignature":"EjQKMgG+Pvb7/w=="},
			{"functionCall":{"name":"get_weather","args":{"city":"Bern"},"id":"fc_8f1b"}}]`,
		"signed-text": `[{"text":"It is 21 °C."},{"text":"","thoughtSignature":"c2lnLfv/"}]`,
		"code-and-search": `[{"text":"I compute."},{"executableCode":{"language":"PYTHON","code":"print(6*7)","id":"x1"},"thoughtSignature":"AAEC"},
			{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"42\n","id":"x1"}},{"text":"It is 42."}]`,
		"media": `[{"inlineData":{"mimeType":"image/png","data":"AAAA"},"thought":true},{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="},"thoughtSignature":"c2ln"},
			{"inlineData":{"mimeType":"audio/wav","data":"UklGRg=="}}]`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := saying(t, testdata(t, "documented", name+".json"), hello)
			m := modelAt(t, s)
			resp, err := m.Generate(t.Context(), request(abi.Human("hi")))
			require.NoError(t, err)
			encoded, err := resp.AI().MarshalMsg(nil)
			require.NoError(t, err)
			var kept abi.Message
			_, err = kept.UnmarshalMsg(encoded)
			require.NoError(t, err)
			messages := []abi.Message{abi.Human("hi"), kept}
			for _, call := range kept.ToolCalls {
				messages = append(messages, tool(call.ID, call.Name, "sunny"))
			}
			_, err = m.Generate(t.Context(), request(append(messages, abi.Human("and?"))...))
			require.NoError(t, err)
			contents, ok := s.last(t).body["contents"].([]any)
			require.True(t, ok)
			require.Equal(t, map[string]any{"role": "model", "parts": parsed(t, want)}, contents[1], shown(contents[1]))
			if name == "thinking" {
				require.Contains(t, s.last(t).text, "9007199254740993")
				require.Equal(t, parsed(t, `{"role":"user","parts":[{"functionResponse":{"name":"get_weather","id":"fc_8f1a","response":{"result":"sunny"}}},
					{"functionResponse":{"name":"get_weather","id":"fc_8f1b","response":{"result":"sunny"}}}]}`), contents[2])
			}
		})
	}
}

func TestStructuredAnswers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, parts, want string }{
		{"an object", `[{"text":"{\"name\":","thought":false},{"text":"\"Ada\",\"age\":36}"}]`, `{"age":36,"name":"Ada"}`},
		{"signed, with thoughts", `[{"text":"no","thought":true},{"text":"[1]"},{"text":"","thoughtSignature":"AA=="}]`, `[1]`},
		{"no JSON", `[{"text":"Ada"}]`, ``},
		{"a call", `[{"text":"[1]"},{"functionCall":{"name":"f"}}]`, ``},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			bothWays(t, func(t *testing.T, streaming bool) {
				t.Helper()
				s := saying(t, asEvent(`{"candidates":[{"content":{"parts":`+test.parts+`},"finishReason":"STOP"}]}`, streaming))
				req := request(abi.Human("hi"))
				req.Format = &model.Format{Name: "x", Schema: rawOf(t, `{"type":"object"}`)}
				resp, err := ask(t.Context(), modelAt(t, s), req, streaming)
				require.NoError(t, err)
				if test.want == "" {
					require.Nil(t, resp.Structured)
					return
				}
				require.JSONEq(t, test.want, resp.Structured.JSON())
				resp, err = ask(t.Context(), modelAt(t, s), req.WithFormat(nil), streaming)
				require.NoError(t, err)
				require.Nil(t, resp.Structured, "nobody asked for it")
			})
		})
	}
}
