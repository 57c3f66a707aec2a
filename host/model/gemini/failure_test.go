package gemini_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/gemini"
)

func TestRefusedRequests(t *testing.T) {
	t.Parallel()
	google := func(code int, status, message, details string) string {
		return fmt.Sprintf(`{"error":{"code":%d,"message":%q,"status":%q,"details":[%s]}}`, code, message, status, details)
	}
	for _, test := range []struct {
		name   string
		status int
		header http.Header
		body   string
		kind   model.ErrorKind
		again  bool
		after  time.Duration
		says   string
	}{
		{
			"a key that is none", 400, nil, google(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.",
				`{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}`),
			model.ErrorAuthentication, false, 0, "API key not valid",
		},
		{"no key", 403, nil, google(403, "PERMISSION_DENIED", "Method doesn't allow unregistered callers", ""), model.ErrorPermission, false, 0, "unregistered"},
		{"no such model", 404, nil, google(404, "NOT_FOUND", "models/x is not found", ""), model.ErrorNotFound, false, 0, "models/x"},
		{"a bad request", 400, nil, google(400, "INVALID_ARGUMENT", "Unknown name \"x\"", ""), model.ErrorInvalidRequest, false, 0, "Unknown name"},
		{
			"too long", 400, nil, google(400, "INVALID_ARGUMENT", "The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).", ""),
			model.ErrorContextLength, false, 0, "1048577",
		},
		{
			"too many requests", 429, nil, google(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota",
				`{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"GenerateRequestsPerMinute"}]},
				{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"36.5s"}`),
			model.ErrorRateLimit, true, 36500 * time.Millisecond, "current quota",
		},
		{"too many, by a header", 429, http.Header{"Retry-After": {"7"}}, testdata(t, "aimock", "429.json"), model.ErrorRateLimit, true, 7 * time.Second, "Slow down"},
		{"overloaded", 503, nil, google(503, "UNAVAILABLE", "The model is overloaded.", ""), model.ErrorOverloaded, true, 0, "overloaded"},
		{"too slow", 504, nil, google(504, "DEADLINE_EXCEEDED", "Deadline expired", ""), model.ErrorTimeout, true, 0, "Deadline expired"},
		{"its own error", 500, nil, google(500, "INTERNAL", "An internal error has occurred.", ""), model.ErrorServer, true, 0, "internal error"},
		{"a list, as of a stream", 500, nil, "[" + google(500, "INTERNAL", "Boom", "") + "\n]", model.ErrorServer, true, 0, "Boom"},
		{"aimock 400", 400, nil, testdata(t, "aimock", "400ctx.json"), model.ErrorContextLength, false, 0, "maximum context length"},
		{"aimock 401", 401, nil, testdata(t, "aimock", "401.json"), model.ErrorAuthentication, false, 0, "bad key"},
		{"aimock 500", 500, nil, testdata(t, "aimock", "500.json"), model.ErrorServer, true, 0, "Boom"},
		{"aimock 503", 503, nil, testdata(t, "aimock", "503.json"), model.ErrorOverloaded, true, 0, "Unavailable"},
		{"aimock 529", 529, nil, testdata(t, "aimock", "529.json"), model.ErrorOverloaded, true, 0, "Overloaded"},
		{"a page of a proxy", 502, nil, "<html>Bad \x1b[31mGateway</html>", model.ErrorServer, true, 0, "Bad  [31mGateway"},
		{"nothing", 418, nil, "", model.ErrorInvalidRequest, false, 0, "teapot"},
		{"a redirection", 308, http.Header{"Location": {"https://example.com/"}}, "", model.ErrorResponse, false, 0, "redirects"},
		{"an odd success", 302, nil, "", model.ErrorResponse, false, 0, "redirects"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			bothWays(t, func(t *testing.T, streaming bool) {
				t.Helper()
				s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
					maps.Copy(w.Header(), test.header)
					w.WriteHeader(test.status)
					_, _ = io.WriteString(w, test.body)
				})
				resp, err := ask(t.Context(), modelAt(t, s), request(abi.Human("hi")), streaming)
				require.Nil(t, resp)
				failed := failure(t, err)
				require.Equal(t, test.kind, failed.Kind)
				require.Equal(t, test.status, failed.Status)
				require.Equal(t, test.again, failed.Retryable)
				require.Equal(t, test.after, failed.RetryAfter)
				require.ErrorContains(t, err, test.says)
				require.NotContains(t, err.Error(), "test-key")
				require.Equal(t, 1, s.count(), "nothing is tried again")
			})
		})
	}
}

func TestBrokenAnswers(t *testing.T) {
	t.Parallel()
	part := func(part string) string {
		return `{"candidates":[{"content":{"parts":[` + part + `]},"finishReason":"STOP"}]}`
	}
	finished := func(reason string) string {
		return `{"candidates":[{"finishReason":"` + reason + `","finishMessage":"because\u001b[0m"}]}`
	}
	for _, test := range []struct {
		name, document string
		kind           model.ErrorKind
		again          bool
		says           string
	}{
		{"nothing", ``, model.ErrorResponse, true, ""},
		{"an empty object", `{}`, model.ErrorResponse, true, "there is no answer"},
		{"no candidate", `{"candidates":[]}`, model.ErrorResponse, true, "there is no answer"},
		{"a candidate of nothing", `{"candidates":[{}]}`, model.ErrorResponse, true, ""},
		{"no content", `{"candidates":[{"content":{"role":"model"},"finishReason":"STOP"}]}`, model.ErrorResponse, true, "the answer is empty: STOP"},
		{"no JSON", `{malformed json: <<<chaos>>>`, model.ErrorResponse, true, "the response cannot be read"},
		{"JSON of something else", `["a"]`, model.ErrorResponse, true, ""},
		{"a number", `17`, model.ErrorResponse, true, "the response cannot be read"},
		{"candidates of a wrong type", `{"candidates":"x"}`, model.ErrorResponse, true, "the response cannot be read"},
		{"a candidate of a wrong type", `{"candidates":[1]}`, model.ErrorResponse, true, "the response cannot be read"},
		{"a part of a wrong type", part(`"x"`), model.ErrorResponse, true, "a part of the answer cannot be read"},
		{"a text of a wrong type", part(`{"text":7}`), model.ErrorResponse, true, "a part of the answer cannot be read"},
		{"a signature of a wrong type", part(`{"text":"a","thoughtSignature":[1]}`), model.ErrorResponse, true, "a part of the answer cannot be read"},
		{"bytes that are none", part(`{"inlineData":{"mimeType":"image/png","data":"%"}}`), model.ErrorResponse, true, "a part of the answer cannot be read"},
		{"a call without a name", part(`{"functionCall":{"args":{}}}`), model.ErrorResponse, true, "a tool without a name"},
		{"a call of a wrong type", part(`{"functionCall":"f"}`), model.ErrorResponse, true, "a part of the answer cannot be read"},
		{"a part that is too deep", part(`{"new":` + strings.Repeat(`[`, 5000) + strings.Repeat(`]`, 5000) + `}`), model.ErrorResponse, true, "cannot be stored"},
		{"JSON that is too deep", strings.Repeat(`{"candidates":[`, 20000), model.ErrorResponse, true, "the response cannot be read"},
		{"usage that is none", `{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":"NaN"}}`, model.ErrorResponse, true, ""},
		{"a blocked prompt", `{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"}}`, model.ErrorContentFilter, false, "the prompt: PROHIBITED_CONTENT"},
		{"a blocked prompt, explained", `{"promptFeedback":{"blockReason":"SAFETY","blockReasonMessage":"no"},"candidates":[{}]}`, model.ErrorContentFilter, false, "SAFETY no"},
		{"unsafe", finished("SAFETY"), model.ErrorContentFilter, false, "the model refuses to answer: SAFETY because [0m"},
		{"recited", finished("RECITATION"), model.ErrorContentFilter, false, "RECITATION"},
		{"prohibited", finished("PROHIBITED_CONTENT"), model.ErrorContentFilter, false, "PROHIBITED_CONTENT"},
		{"about a person", finished("SPII"), model.ErrorContentFilter, false, "SPII"},
		{"forbidden words", finished("BLOCKLIST"), model.ErrorContentFilter, false, "BLOCKLIST"},
		{"an unsafe image", finished("IMAGE_SAFETY"), model.ErrorContentFilter, false, "IMAGE_SAFETY"},
		{"thoughts, and then unsafe", `{"candidates":[{"content":{"parts":[{"text":"hm","thought":true}]},"finishReason":"SAFETY"}]}`, model.ErrorContentFilter, false, "SAFETY"},
		{"a malformed call", finished("MALFORMED_FUNCTION_CALL"), model.ErrorResponse, true, "the model made a malformed tool call"},
		{"a malformed call with a text", testdata(t, "aimock", "malformed-fc.json"), model.ErrorResponse, true, "the model made a malformed tool call"},
		{"a call that nobody expects", finished("UNEXPECTED_TOOL_CALL"), model.ErrorResponse, true, "UNEXPECTED_TOOL_CALL because [0m"},
		{"a missing signature", finished("MISSING_THOUGHT_SIGNATURE"), model.ErrorInvalidRequest, false, "MISSING_THOUGHT_SIGNATURE"},
		{"another reason", finished("OTHER"), model.ErrorResponse, true, "OTHER"},
		{"an error", `{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}`, model.ErrorOverloaded, true, "The model is overloaded."},
		{
			"an error that asks to wait", `{"error":{"code":429,"message":"Later","status":"RESOURCE_EXHAUSTED","details":[{"retryDelay":"2s"}]}}`,
			model.ErrorRateLimit, true, "it asks to wait 2s",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			bothWays(t, func(t *testing.T, streaming bool) {
				t.Helper()
				resp, err := ask(t.Context(), modelAt(t, saying(t, asEvent(test.document, streaming))), request(abi.Human("hi")), streaming)
				require.Nil(t, resp)
				failed := failure(t, err)
				require.Equal(t, test.kind, failed.Kind, err)
				require.Equal(t, test.again, failed.Retryable)
				require.Zero(t, failed.Status)
				require.ErrorContains(t, err, test.says)
				require.NotContains(t, err.Error(), "\x1b")
			})
		})
	}
}

func TestBrokenStreams(t *testing.T) {
	t.Parallel()
	const first = "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Hel\"}]}}]}\n\n"
	const last = "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"lo\"}]},\"finishReason\":\"STOP\"}]}\n\n"
	for _, test := range []struct {
		name, text string
		said       string
		kind       model.ErrorKind // "": none
		again      bool
		says       string
	}{
		{"whole", first + last, "Hello", "", false, ""},
		{"nothing", "", "", model.ErrorResponse, true, "there is no answer"},
		{"no end", first, "Hel", model.ErrorResponse, true, "the stream ended before the answer was complete"},
		{"no end, without a last line", strings.TrimSpace(first), "Hel", model.ErrorResponse, true, "the stream ended before the answer was complete"},
		{"an end that is none", strings.ReplaceAll(last, "STOP", "FINISH_REASON_UNSPECIFIED"), "lo", model.ErrorResponse, true, "the stream ended before the answer was complete"},
		{"cut in an event", first + last[:40], "Hel", model.ErrorResponse, true, "the response cannot be read"},
		{"no JSON", first + "data: {bad\n\n" + last, "Hel", model.ErrorResponse, true, "the response cannot be read"},
		{"an error", first + "data: {\"error\":{\"code\":500,\"message\":\"Boom\",\"status\":\"INTERNAL\"}}\n\n" + last, "Hel", model.ErrorServer, true, "in the middle of its answer: Boom"},
		{"an error event", first + "event: error\ndata: {\"message\":\"Boom\",\"status\":\"UNAVAILABLE\"}\n\n", "Hel", model.ErrorOverloaded, true, "Boom"},
		{"an error outside of events", first + "\n{\"error\":{\"code\":503,\"message\":\"Boom\",\"status\":\"UNAVAILABLE\"}}\n", "Hel", model.ErrorOverloaded, true, "in the middle of its answer: Boom"},
		{"something else outside of events", first + "{}\n", "Hel", model.ErrorResponse, true, "the stream ended before the answer was complete"},
		{"an error in place of a stream", "[{\n \"error\": {\n  \"code\": 429,\n  \"message\": \"Later\",\n  \"status\": \"RESOURCE_EXHAUSTED\"\n }\n}\n]\n", "", model.ErrorRateLimit, true, "Later"},
		{"an answer in place of a stream", hello, "hello", "", false, ""},
		{"a page in place of a stream", "<html>\n<body>Sign in</body>\n</html>", "", model.ErrorResponse, true, "the response cannot be read"},
		{"a long page in place of a stream", strings.Repeat("<p>Sign in</p>\n", 20000), "", model.ErrorResponse, true, "the response cannot be read"},
		{"aimock's chaos", testdata(t, "aimock", "chaos.sse"), "", model.ErrorResponse, true, "the response cannot be read"},
		{"aimock's malformed call", testdata(t, "aimock", "malformed-fc.sse"), "x", model.ErrorResponse, true, "the model made a malformed tool call"},
		{"a blocked prompt", "data: {\"promptFeedback\":{\"blockReason\":\"SAFETY\"}}\n\n", "", model.ErrorContentFilter, false, "the prompt: SAFETY"},
		{"unsafe after all", first + "data: {\"candidates\":[{\"finishReason\":\"SAFETY\"}]}\n\n", "Hel", "", false, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			chunks, resp, err := stream(t.Context(), modelAt(t, saying(t, test.text)), request(abi.Human("hi")))
			var said string
			for _, chunk := range chunks {
				said += chunk.Text
			}
			require.Equal(t, test.said, said)
			if test.kind == "" {
				require.NoError(t, err)
				require.Equal(t, test.said, resp.AI().Content.Text())
				return
			}
			require.Nil(t, resp)
			require.Equal(t, test.kind, failure(t, err).Kind, err)
			require.Equal(t, test.again, failure(t, err).Retryable)
			require.ErrorContains(t, err, test.says)
		})
	}
}

func TestHugeResponses(t *testing.T) {
	t.Parallel()
	bothWays(t, func(t *testing.T, streaming bool) {
		t.Helper()
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			text := strings.Repeat("a", 1<<20)
			_, err := io.WriteString(w, asEvent(`{"candidates":[{"content":{"parts":[{"text":"`, streaming)[:20])
			for range 70 {
				if err == nil {
					_, err = io.WriteString(w, text)
				}
			}
		})
		want := "the response is longer than 64 MiB"
		if streaming {
			want = "an event of the response is longer than 32 MiB"
		}
		_, err := ask(t.Context(), modelAt(t, s), request(abi.Human("hi")), streaming)
		require.Equal(t, model.ErrorResponse, failure(t, err).Kind)
		require.False(t, failure(t, err).Retryable)
		require.ErrorContains(t, err, want)
	})
}

func TestManySmallPieces(t *testing.T) {
	t.Parallel()
	const pieces = 20000
	text := strings.Repeat("data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"}]}}]}\n\n", pieces) + "data: " + hello + "\n\n"
	chunks, resp, err := stream(t.Context(), modelAt(t, saying(t, text)), request(abi.Human("hi")))
	require.NoError(t, err)
	require.Len(t, chunks, pieces+1)
	require.Equal(t, strings.Repeat("a", pieces)+"hello", resp.AI().Content.Text())
}

func TestServersThatAreNotThere(t *testing.T) {
	t.Parallel()
	bothWays(t, func(t *testing.T, streaming bool) {
		t.Helper()
		s := saying(t, "")
		s.Close()
		_, err := ask(t.Context(), modelAt(t, s), request(abi.Human("hi")), streaming)
		require.Equal(t, model.ErrorConnection, failure(t, err).Kind)
		require.True(t, failure(t, err).Retryable)
		require.NotContains(t, err.Error(), gemini.Provider+"-")

		s = serve(t, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, asEvent(hello, streaming)[:30])
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		})
		_, err = ask(t.Context(), modelAt(t, s), request(abi.Human("hi")), streaming)
		require.Equal(t, model.ErrorConnection, failure(t, err).Kind)
		require.True(t, failure(t, err).Retryable)
	})
}
