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

// TestOddAnswers are those that the API does not document, or that other servers send.
func TestOddAnswers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, document string
		check          func(t *testing.T, resp *model.Response)
	}{
		{
			"only the first candidate counts",
			`{"candidates":[{"index":1,"content":{"parts":[{"text":"b"}]},"finishReason":"STOP"},{"index":0,"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}]}`,
			func(t *testing.T, resp *model.Response) {
				t.Helper()
				require.Equal(t, "a", resp.AI().Content.Text())
			},
		},
		{
			"nulls, unknown fields and empty parts",
			`{"error":null,"new":{"a":[1]},"candidates":[{"content":{"parts":[{},null,{"text":null},{"text":"a","new":1,"thoughtSignature":null},{"thought":true}],"x":1},"groundingMetadata":null,
				"finishReason":"STOP","y":2}],"usageMetadata":{"promptTokenCount":-5,"candidatesTokenCount":null},"modelVersion":null}`,
			func(t *testing.T, resp *model.Response) {
				t.Helper()
				require.Equal(t, abi.Text("a"), resp.AI().Content)
				require.Equal(t, &abi.Usage{}, resp.AI().Usage)
			},
		},
		{
			"a signature alone is kept",
			`{"candidates":[{"content":{"parts":[{"text":"a"},{"thoughtSignature":"AA=="}]},"finishReason":"STOP"}]}`,
			func(t *testing.T, resp *model.Response) {
				t.Helper()
				require.Equal(t, "AA==", resp.AI().Content.Blocks()[1].String(gemini.KeySignature))
			},
		},
		{
			"arguments that are none",
			`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"a","args":null}},{"functionCall":{"name":"b","args":[1]}},{"functionCall":{"name":"c","args":{"x":1,"x":2}}},
				{"functionCall":{"name":"d","args":{"n":1e999}}},{"functionCall":{"name":"e","args":` + strings.Repeat(`{"x":`, 100) + `1` + strings.Repeat(`}`, 100) + `}}]},"finishReason":"STOP"}]}`,
			func(t *testing.T, resp *model.Response) {
				t.Helper()
				require.Equal(t, []abi.ToolCall{{Name: "a", Args: wire.Map(nil).Raw()}}, resp.AI().ToolCalls)
				require.Len(t, resp.AI().InvalidToolCalls, 4)
				require.Equal(t, "[1]", resp.AI().InvalidToolCalls[0].Args)
			},
		},
		{
			"equal ids are the host's to tell apart",
			`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"a","id":"1"}},{"functionCall":{"name":"a","id":"1"}}]},"finishReason":"STOP"}]}`,
			func(t *testing.T, resp *model.Response) {
				t.Helper()
				require.Len(t, resp.AI().ToolCalls, 2)
				require.JSONEq(t, `[{"name":"a","id":"1"},{"name":"a","id":"1"}]`, resp.AI().Meta.Get(gemini.MetaCalls).JSON())
			},
		},
		{
			"broken UTF-8",
			"{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\xff\\ud83d\"},{\"functionCall\":{\"name\":\"f\",\"args\":{\"x\":\"\xff\"}}}]},\"finishReason\":\"STOP\"}]}",
			func(t *testing.T, resp *model.Response) {
				t.Helper()
				require.Equal(t, "a\uFFFD\uFFFD", resp.AI().Content.Text())
				require.JSONEq(t, `{"x":"\ufffd"}`, resp.AI().ToolCalls[0].Args.JSON())
			},
		},
		{
			"what is said about the answer is left out where it cannot be kept",
			`{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP","citationMetadata":{"a":1,"a":2},"urlContextMetadata":{"b":1},"avgLogprobs":-0.5}]}`,
			func(t *testing.T, resp *model.Response) {
				t.Helper()
				require.JSONEq(t, `{"urlContextMetadata":{"b":1},"avgLogprobs":-0.5}`, resp.AI().Meta.Get(gemini.MetaAbout).JSON())
			},
		},
		{
			"no room for an answer", `{"candidates":[{"content":{"role":"model"},"finishReason":"MAX_TOKENS"}],"usageMetadata":{"promptTokenCount":3,"thoughtsTokenCount":9}}`,
			func(t *testing.T, resp *model.Response) {
				t.Helper()
				require.True(t, resp.AI().Content.IsZero())
				require.Equal(t, "MAX_TOKENS", resp.StopReason)
				require.Equal(t, &abi.Usage{InputTokens: 3, OutputTokens: 9, TotalTokens: 12, ReasoningTokens: 9}, resp.AI().Usage)
			},
		},
		{
			"thoughts alone", `{"candidates":[{"content":{"parts":[{"text":"hm","thought":true}]},"finishReason":"STOP"}]}`,
			func(t *testing.T, resp *model.Response) {
				t.Helper()
				require.Empty(t, resp.AI().Content.Text())
				require.Len(t, resp.AI().Content.Blocks(), 1)
			},
		},
		{
			"a prompt that is not blocked", `{"promptFeedback":{"safetyRatings":[]},"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}]}`,
			func(t *testing.T, resp *model.Response) {
				t.Helper()
				require.Equal(t, "a", resp.AI().Content.Text())
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			bothWays(t, func(t *testing.T, streaming bool) {
				t.Helper()
				resp, err := ask(t.Context(), modelAt(t, saying(t, asEvent(test.document, streaming))), request(abi.Human("hi")), streaming)
				require.NoError(t, err)
				test.check(t, resp)
			})
		})
	}
}

// TestMalformedCalls are those that the provider itself could not read: the finish message shows them.
func TestMalformedCalls(t *testing.T) {
	t.Parallel()
	bothWays(t, func(t *testing.T, streaming bool) {
		t.Helper()
		const call = "Malformed function call: print(default_api.get_weather_at(city='Bern')"
		s := saying(t, asEvent(`{"candidates":[{"content":{},"finishReason":"MALFORMED_FUNCTION_CALL","finishMessage":"`+call+`"}]}`, streaming))
		req := request(abi.Human("hi"))
		req.Tools = []abi.ToolSpec{{Name: "weather_at"}, {Name: "get_weather_at"}, {Name: "at"}}
		resp, err := ask(t.Context(), modelAt(t, s), req, streaming)
		require.NoError(t, err)
		require.Empty(t, resp.AI().ToolCalls)
		require.Equal(t, []abi.InvalidToolCall{{
			Name: "get_weather_at", Args: call, Error: "the call is malformed; write its arguments as a JSON object",
		}}, resp.AI().InvalidToolCalls)
		require.Equal(t, "MALFORMED_FUNCTION_CALL", resp.StopReason)
		_, err = ask(t.Context(), modelAt(t, s), request(abi.Human("hi")), streaming)
		require.ErrorContains(t, err, call)
		require.True(t, failure(t, err).Retryable, "nobody knows which tool it is")
	})
}

// TestLongAnswersGoOn continues an answer that the provider cuts at its limit for one response.
func TestLongAnswersGoOn(t *testing.T) {
	t.Parallel()
	bothWays(t, func(t *testing.T, streaming bool) {
		t.Helper()
		s := saying(t,
			asEvent(`{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"CONTINUATION","continuationToken":"dG9r"}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":2}}`, streaming),
			asEvent(`{"candidates":[{"content":{"parts":[{"text":"b"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":4}}`, streaming))
		resp, err := ask(t.Context(), modelAt(t, s), request(abi.Human("hi")), streaming)
		require.NoError(t, err)
		require.Equal(t, 2, s.count())
		require.Equal(t, "dG9r", s.last(t).body["continuationToken"])
		require.Equal(t, abi.Text("ab"), resp.AI().Content)
		require.Equal(t, "STOP", resp.StopReason)
		require.Equal(t, &abi.Usage{InputTokens: 4, OutputTokens: 6, TotalTokens: 10}, resp.AI().Usage)

		s = saying(t, asEvent(`{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"CONTINUATION","continuationToken":"dG9r"}]}`, streaming))
		_, err = ask(t.Context(), modelAt(t, s), request(abi.Human("hi")), streaming)
		require.ErrorContains(t, err, "continued its answer too often")
		require.Equal(t, 32, s.count())
	})
}
