package openai_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/openai"
	"github.com/agenthost/agenthost/test/ratio"
)

// Streams may come in any pieces, with other ends of lines, and with comments and pings in between.
func TestStreamsComeInAnyForm(t *testing.T) {
	t.Parallel()
	for _, sample := range []string{"chat/openai", "chat/openrouter", "chat/deepseek", "chat/mistral", "responses/everything", "aimock/chat.two-tools"} {
		text := testdata(t, sample+".sse")
		// The tests of a sample have servers of their own, and their answers say which.
		heard := func(t *testing.T, s *server) answer {
			t.Helper()
			out := stream(t.Context(), modelAt(t, s, apiOf(sample)), request(hi))
			require.NoError(t, out.err)
			out.resp.AI().Meta.Delete("openai_server")
			return out
		}
		want := heard(t, saying(t, text))
		for name, said := range map[string]string{
			"CRLF":          strings.ReplaceAll(text, "\n", "\r\n"),
			"comments":      ": begin\n\n" + strings.ReplaceAll(text, "\n\n", "\n\n: ping\n\n:\n\n"),
			"pings":         strings.ReplaceAll(text, "\n\ndata: ", "\n\nevent: ping\ndata: {\"type\":\"ping\"}\n\ndata: "),
			"other fields":  strings.ReplaceAll(text, "data: ", "id: 7\nretry: 100\nx: y\ndata: "),
			"no spaces":     strings.ReplaceAll(text, "data: ", "data:"),
			"several lines": strings.ReplaceAll(text, `,"choices"`, ",\ndata: \"choices\""),
			"errors: null":  strings.ReplaceAll(text, "data: {", `data: {"error":null,`),
			"empty events":  strings.ReplaceAll(text, "\n\n", "\n\ndata:\n\ndata: \n\n"),
			"what follows":  text + "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"more\"}}]}\n\nrubbish",
		} {
			t.Run(sample+" "+name, func(t *testing.T) {
				t.Parallel()
				require.Equal(t, want, heard(t, saying(t, said)))
			})
		}
		for name, size := range map[string]int{"byte by byte": 1, "in sevens": 7} {
			t.Run(sample+" "+name, func(t *testing.T) {
				t.Parallel()
				s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
					for at := 0; at < len(text); at += size {
						_, _ = io.WriteString(w, text[at:min(at+size, len(text))])
						_ = http.NewResponseController(w).Flush()
					}
				})
				require.Equal(t, want, heard(t, s))
			})
		}
	}
}

// Wherever a stream ends, it gives an error or the same answer; where its connection breaks, an error unless all has come.
func TestStreamsThatAreCutOff(t *testing.T) {
	t.Parallel()
	for _, sample := range []string{"chat/openai", "chat/openrouter", "chat/gemini", "stubllm/chat.two-tools", "responses/everything", "responses/refusal"} {
		t.Run(sample, func(t *testing.T) {
			t.Parallel()
			text := testdata(t, sample+".sse")
			var cut int
			var breaks bool
			m := &openai.Model{Name: "m", BaseURL: "http://localhost", API: apiOf(sample), HTTPClient: &http.Client{
				Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
					var body io.Reader = strings.NewReader(text[:cut])
					if breaks {
						body = io.MultiReader(body, failing{})
					}
					return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(body), Request: r}, nil
				}),
			}}
			cut = len(text)
			want := stream(t.Context(), m, request(hi))
			require.NoError(t, want.err)
			step := 1
			if ratio.Race {
				step = 7
			}
			for cut = 0; cut < len(text); cut += step {
				for _, breaks = range []bool{false, true} {
					got := stream(t.Context(), m, request(hi))
					if got.err == nil { // the end is the end, with or without [DONE]
						require.Equal(t, want.resp.AI().ToolCalls, got.resp.AI().ToolCalls)
						require.Equal(t, want.resp.AI().Content, got.resp.AI().Content)
						continue
					}
					require.Nil(t, got.resp)
					require.True(t, strings.HasPrefix(want.text, got.text))
					failed := failure(t, got.err)
					require.True(t, failed.Retryable)
					if breaks {
						require.Equal(t, model.ErrorConnection, failed.Kind)
					} else {
						require.Equal(t, model.ErrorResponse, failed.Kind)
					}
				}
			}
		})
	}
	for _, sample := range []string{"aimock/chat.latency-trunc", "aimock/chat.tool-trunc", "aimock/responses.latency-trunc", "aimock/responses.tool-trunc"} {
		out := stream(t.Context(), modelAt(t, saying(t, testdata(t, sample+".sse")), apiOf(sample)), request(hi))
		require.ErrorContains(t, out.err, "the stream ended before the answer was complete")
		require.True(t, failure(t, out.err).Retryable)
	}
}

// failing is a connection that breaks.
type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// A server that dies in the middle is one whose connection breaks.
func TestConnectionsThatBreak(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, api openai.API, streaming bool) {
		t.Helper()
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			text := hello[api]
			if streaming {
				text = helloStream[api]
			}
			_, _ = io.WriteString(w, text[:len(text)/2])
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		})
		_, err := ask(t, modelAt(t, s, api), request(hi), streaming)
		require.Equal(t, model.ErrorConnection, failure(t, err).Kind)
		require.True(t, failure(t, err).Retryable)
	})
}

func TestEventsThatAreNone(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		chat, responses string // "": not there
		kind            model.ErrorKind
		again           bool
		says            string
	}{
		"half an event":             {`data: {"choices":[{"ind`, `data: {"type":"response.out`, model.ErrorResponse, true, "unexpected end of JSON"},
		"no JSON":                   {"data: hello", "data: hello", model.ErrorResponse, true, "an event of the stream cannot be read"},
		"a wrong type":              {`data: {"choices":{}}`, `data: {"type":7}`, model.ErrorResponse, true, "an event of the stream cannot be read"},
		"a wrong choice":            {`data: {"choices":[7]}`, "", model.ErrorResponse, true, "the answer cannot be read"},
		"a wrong text":              {`data: {"choices":[{"delta":{"content":7}}]}`, "", model.ErrorResponse, true, "the answer cannot be read"},
		"a wrong call":              {`data: {"choices":[{"delta":{"tool_calls":[7]}}]}`, "", model.ErrorResponse, true, "the answer cannot be read"},
		"an error":                  {`data: {"error":{"message":"Overloaded","type":"overloaded_error"}}`, `data: {"type":"error","code":"server_error","message":"Overloaded","param":null,"sequence_number":3}`, "", true, "Overloaded"},
		"an error with a status":    {`data: {"id":"x","error":{"code":429,"message":"Slow down"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}`, `data: {"error":{"code":"429","message":"Slow down"}}`, model.ErrorRateLimit, true, "Slow down"},
		"an error event":            {"event: error\ndata: {\"message\":\"gone\",\"type\":\"server_error\"}", "event: error\ndata: {\"message\":\"gone\",\"type\":\"server_error\"}", model.ErrorServer, true, "gone"},
		"an error event with text":  {"event: error\ndata: upstream died", "event: error\ndata: upstream died", model.ErrorInvalidRequest, false, "upstream died"},
		"an error of a choice":      {`data: {"choices":[{"index":0,"delta":{},"finish_reason":"error","error":{"message":"died","code":500}}]}`, "", model.ErrorServer, true, "died"},
		"an error of vLLM":          {`data: {"object":"error","message":"died","type":"InternalServerError","code":500}`, "", model.ErrorServer, true, "died"},
		"it failed":                 {"", `data: {"type":"response.failed","response":{"status":"failed","error":{"code":"rate_limit_exceeded","message":"Slow down"}}}`, model.ErrorRateLimit, true, "Slow down"},
		"it was cancelled":          {"", `data: {"type":"response.cancelled","response":{"status":"cancelled"}}`, model.ErrorResponse, true, `"cancelled"`},
		"it says no response":       {"", `data: {"type":"response.completed"}`, model.ErrorResponse, true, ""},
		"it says [DONE]":            {"data: [DONE]", "data: [DONE]", model.ErrorResponse, true, "the stream ended before the answer was complete"},
		"it says nothing":           {"data: {}", "data: {}", model.ErrorResponse, true, "the stream ended before the answer was complete"},
		"it says nothing, and that": {"data: {\"choices\":[{\"index\":0,\"delta\":{}}]}\n\ndata: [DONE]", "", model.ErrorResponse, true, "the answer is empty"},
		"its lines are too long":    {"data: " + strings.Repeat("x", 33<<20), "data: " + strings.Repeat("x", 33<<20), model.ErrorResponse, false, "an event of the response is longer than 32 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for api, event := range map[openai.API]string{openai.ChatCompletions: test.chat, openai.Responses: test.responses} {
				if event == "" {
					continue
				}
				for _, before := range []string{"", strings.Split(helloStream[api], "\n\n")[0] + "\n\n"} {
					if before != "" && strings.Contains(test.says, "empty") {
						continue
					}
					if before != "" && api == openai.ChatCompletions && event == "data: [DONE]" { // that is an answer
						continue
					}
					out := stream(t.Context(), modelAt(t, saying(t, before+event+"\n\n"), api), request(hi))
					require.Nil(t, out.resp)
					require.ErrorContains(t, out.err, test.says)
					failed := failure(t, out.err)
					if test.kind != "" {
						require.Equal(t, test.kind, failed.Kind)
					}
					require.Equal(t, test.again, failed.Retryable)
					if before != "" {
						require.Equal(t, "hel", out.text)
					}
				}
			}
		})
	}
}

// A server that never says why it ends, says at least that it does: then the answer is whole.
func TestStreamsWithoutAReasonToEnd(t *testing.T) {
	t.Parallel()
	const event = `data: {"choices":[{"index":0,"delta":{"content":"hello"}}]}` + "\n\n"
	out := stream(t.Context(), modelAt(t, saying(t, event+"data: [DONE]\n\n"), openai.ChatCompletions), request(hi))
	require.NoError(t, out.err)
	require.Empty(t, out.resp.StopReason)
	require.False(t, out.resp.AI().Meta.Has("stop_reason"))
	require.Equal(t, "hello", out.resp.AI().Content.Text())

	out = stream(t.Context(), modelAt(t, saying(t, event), openai.ChatCompletions), request(hi))
	require.ErrorContains(t, out.err, "the stream ended before the answer was complete")

	const reason = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	out = stream(t.Context(), modelAt(t, saying(t, event+reason), openai.ChatCompletions), request(hi))
	require.NoError(t, out.err, "without [DONE]")
}

// Some servers do not repeat in the last event what came in the others, or say the kinds of events in one place alone.
func TestResponsesOfSparingServers(t *testing.T) {
	t.Parallel()
	const items = "event: response.output_item.done\ndata: {\"item\":{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"hel\"}]}}\n\n" +
		"event: response.output_item.done\ndata: {\"item\":{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"lo\"}]}}\n\n"
	out := stream(t.Context(), modelAt(t, saying(t, items+"event: response.completed\ndata: {\"response\":{\"status\":\"completed\",\"output\":[]}}\n\n"), openai.Responses), request(hi))
	require.NoError(t, out.err)
	require.Equal(t, "hello", out.resp.AI().Content.Text())
	out = stream(t.Context(), modelAt(t, saying(t, items+hello[openai.Responses]), openai.Responses), request(hi))
	require.ErrorContains(t, out.err, "the stream ended before the answer was complete")
}

// Deltas of kinds that are not known say nothing.
func TestDeltasThatAreNoText(t *testing.T) {
	t.Parallel()
	text := `data: {"type":"response.audio.delta","delta":{"x":1}}` + "\n\n" + `data: {"type":"response.output_text.delta","delta":null}` + "\n\n" +
		`data: {"type":"response.output_text.delta","delta":7}` + "\n\n" + `data: {"type":"response.future","delta":"x"}` + "\n\n" + helloStream[openai.Responses]
	out := stream(t.Context(), modelAt(t, saying(t, text), openai.Responses), request(hi))
	require.NoError(t, out.err)
	require.Equal(t, "hello", out.text)
	require.Equal(t, 3, out.chunks)
}
