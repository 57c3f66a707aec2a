package anthropic_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
)

// bytewise answers with a stream, one byte at a time.
func bytewise(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		for i := range len(body) {
			_, _ = io.WriteString(w, body[i:i+1])
			_ = http.NewResponseController(w).Flush()
		}
	}
}

// commented adds to a stream what clients must leave out.
func commented(body string) string {
	return ": hello\n\n" + strings.ReplaceAll(body, "\n\n", "\nid: 7\nretry: 10\n: comment\n\nevent: ping\ndata: {\"type\": \"ping\"}\n\n"+
		"event: novelty\ndata: not even JSON\n\ndata: {\"type\":\"other\",\"index\":\"x\"}\n\n:\n\nevent: ping\n\n")
}

// unnamed takes the names of events away, which their data have too.
func unnamed(body string) string {
	var out []string
	for line := range strings.Lines(body) {
		if !strings.HasPrefix(line, "event:") {
			out = append(out, line)
		}
	}
	return strings.Join(out, "")
}

func TestStreamsGiveWhatAnswersGive(t *testing.T) {
	t.Parallel()
	for name, want := range expected(t) {
		body := file(t, "answers", name+".sse")
		for form, handler := range map[string]http.HandlerFunc{
			"whole":      streams(body),
			"bytewise":   bytewise(body),
			"CRLF":       streams(strings.ReplaceAll(body, "\n", "\r\n")),
			"commented":  streams(commented(body)),
			"unnamed":    streams(unnamed(body)),
			"named odd":  streams(strings.ReplaceAll(unnamed(body), "data:", "event: message\ndata:")),
			"many lines": streams(strings.ReplaceAll(body, `"type":`, "\"type\":\ndata: ")),
			"more":       streams(body + "event: error\ndata: {}\n\n"),
		} {
			t.Run(name+" "+form, func(t *testing.T) {
				t.Parallel()
				got, err := stream(t, serve(t, handler).model(t), request(abi.Human("hi")))
				require.NoError(t, err)
				require.Equal(t, want, got.response)
				if name == "emoji" {
					return // whose characters come in halves
				}
				require.Equal(t, want.AI().Content.Text(), got.text)
				var reasoning strings.Builder
				for _, b := range want.AI().Content.Blocks() {
					if b.Type() == abi.BlockReasoning {
						reasoning.WriteString(b.Text())
					}
				}
				require.Equal(t, reasoning.String(), got.reasoning)
			})
		}
	}
}

// events makes a stream of the data of events.
func events(data ...string) string {
	var b strings.Builder
	for _, data := range data {
		b.WriteString("data: " + data + "\n\n")
	}
	return b.String()
}

const (
	begin = `{"type":"message_start","message":{"id":"msg_01","model":"m","content":[],"usage":{"input_tokens":1,"output_tokens":1}}}`
	text  = `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`
	more  = `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hi"}}`
	end   = `{"type":"message_stop"}`
	tool  = `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"A","name":"f","input":{}}}`
	ended = `{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`
)

func args(piece string) string {
	return `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":` + quote(piece) + `}}`
}

func TestOddStreams(t *testing.T) {
	t.Parallel()
	content := func(want abi.Content) func(t *testing.T, got streamed) {
		return func(t *testing.T, got streamed) {
			t.Helper()
			require.Equal(t, want, got.response.AI().Content)
			require.Equal(t, want.Text(), got.text)
		}
	}
	for _, test := range []struct {
		name  string
		body  string
		check func(t *testing.T, got streamed)
	}{
		{"never stopped, never ended, no usage", events(`{"type":"message_start","message":{}}`, text, more, end), func(t *testing.T, got streamed) {
			t.Helper()
			require.Nil(t, got.response.AI().Usage)
			require.Equal(t, "hi", got.text)
		}},
		{"content that begins with something", events(`{"type":"message_start","message":{"content":[{"type":"thinking","thinking":"t"},{"type":"text","text":"oh "}]}}`,
			strings.ReplaceAll(more, `"index":0`, `"index":1`), end), func(t *testing.T, got streamed) {
			t.Helper()
			require.Equal(t, abi.Blocks(abi.ReasoningBlock("t", ""), abi.TextBlock("oh hi")), got.response.AI().Content)
			require.Equal(t, "oh hi", got.text)
			require.Equal(t, "t", got.reasoning)
		}},
		{"blocks at any index, in their order", events(begin, strings.ReplaceAll(text, `"index":0`, `"index":7`), text, strings.ReplaceAll(more, `"index":0`, `"index":7`),
			`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"!"}}`, end), content(abi.Text("hi!"))},
		{"malformed arguments", events(begin, tool, args(`{"a`), args(`":"\`), ended, end), func(t *testing.T, got streamed) {
			t.Helper()
			require.Empty(t, got.response.AI().ToolCalls)
			require.Equal(t, `{"a":"\`, got.response.AI().InvalidToolCalls[0].Args)
		}},
		{
			"arguments of a server's tool that are cut", events(begin, strings.ReplaceAll(tool, "tool_use", "server_tool_use"), args(`{"a`), ended, end),
			content(abi.Blocks(block(t, `{"type":"anthropic_server_tool_use","id":"A","name":"f","input":{}}`))),
		},
		{"no delta", events(begin, text, `{"type":"content_block_delta","index":0,"delta":null}`, `{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta"}}`, more, end), content(abi.Text("hi"))},
		{"a text for a block of another kind", events(begin, tool, more, args(`{}`), `{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"x"}}`, ended, end), func(t *testing.T, got streamed) {
			t.Helper()
			require.Len(t, got.response.AI().ToolCalls, 1)
			require.Empty(t, got.text+got.reasoning)
		}},
		{"a signature in pieces", events(begin, strings.ReplaceAll(text, `{"type":"text","text":""}`, `{"type":"thinking","thinking":"a","signature":null}`),
			`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"s1"}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"s2"}}`, ended, end), content(abi.Blocks(abi.ReasoningBlock("a", "s1s2")))},
		{
			"news of an unknown kind", events(begin, strings.ReplaceAll(text, `{"type":"text","text":""}`, `{"type":"x","a":"1","b":2}`),
				`{"type":"content_block_delta","index":0,"delta":{"type":"x_delta","a":"2","b":3,"c":"4"}}`,
				`{"type":"content_block_delta","index":0,"delta":{"type":"x_delta","a":"3","c":[5]}}`, ended, end),
			content(abi.Blocks(block(t, `{"type":"anthropic_x","a":"123","b":3,"c":[5]}`))),
		},
		{"usage that comes late", events(begin, text, more, `{"type":"message_delta","delta":{},"usage":{"input_tokens":5,"output_tokens":7,"cache_read_input_tokens":null}}`,
			`{"type":"message_delta","usage":{"output_tokens":9}}`, end), func(t *testing.T, got streamed) {
			t.Helper()
			require.Equal(t, &abi.Usage{InputTokens: 5, OutputTokens: 9, TotalTokens: 14}, got.response.AI().Usage)
		}},
		{"broken UTF-8", events(begin, text, "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"a\xffb\"}}", end), content(abi.Text("a�b"))},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := stream(t, serve(t, streams(test.body)).model(t), request(abi.Human("hi")))
			require.NoError(t, err)
			test.check(t, got)
		})
	}
}

func TestStreamsThatAreNone(t *testing.T) {
	t.Parallel()
	var many strings.Builder
	for i := range 1<<14 + 1 {
		many.WriteString(events(strings.ReplaceAll(text, `"index":0`, fmt.Sprintf(`"index":%d`, i))))
	}
	for name, body := range map[string]string{
		"too many blocks":                events(begin) + many.String() + events(ended, end),
		"nothing":                        ``,
		"cut in a text":                  file(t, "streams", "cut-in-a-text.sse"),
		"cut in a call":                  file(t, "streams", "cut-in-a-call.sse"),
		"no beginning":                   file(t, "streams", "stubllm-text.sse"),
		"no beginning, calls":            file(t, "streams", "stubllm-calls.sse"),
		"cut before the last line":       strings.TrimSuffix(events(begin, text, more, ended, end), "\n"),
		"JSON instead of a stream":       plain,
		"malformed JSON":                 file(t, "errors", "malformed.json"),
		"malformed event":                events(begin, `{"type":"content_block_start","index":`),
		"malformed event with a name":    events(begin) + "event: message_stop\ndata: {\n\n",
		"an event that is not an object": events(begin, `[]`),
		"the end of another API":         events(begin, text, more, `[DONE]`),
		"two beginnings":                 events(begin, begin),
		"a beginning of nothing":         events(`{"type":"message_start"}`),
		"a beginning of another type":    events(`{"type":"message_start","message":"x"}`),
		"content of another type":        events(`{"type":"message_start","message":{"content":[{"type":5}]}}`),
		"an end before the beginning":    events(end),
		"no block":                       events(begin, `{"type":"content_block_start","index":0}`),
		"a block of another type":        events(begin, `{"type":"content_block_start","index":0,"content_block":5}`),
		"a block twice":                  events(begin, text, text),
		"a block without a type":         events(begin, `{"type":"content_block_start","index":0,"content_block":{}}`, end),
		"a text of another type":         events(begin, `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":5}}`),
		"a delta for no block":           events(begin, more),
		"no delta":                       events(begin, text, `{"type":"content_block_delta","index":0}`),
		"a delta of another type":        events(begin, text, `{"type":"content_block_delta","index":0,"delta":5}`),
		"a delta whose kind is none":     events(begin, text, `{"type":"content_block_delta","index":0,"delta":{"type":5}}`),
		"a delta whose text is none":     events(begin, text, `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":5}}`),
		"arguments that are not text":    events(begin, tool, `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":{}}}`),
		"an index that is none":          events(begin, `{"type":"content_block_start","index":"x"}`),
		"an ending of another type":      events(begin, `{"type":"message_delta","delta":{"stop_reason":5}}`),
		"usage of another type":          events(begin, `{"type":"message_delta","delta":{},"usage":5}`),
		"citations to none":              events(begin, `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"x","citations":5}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{}}}`, end),
		"nothing said, and not ended":    events(begin, end),
		"a block of its own, too deep":   events(begin, `{"type":"content_block_start","index":0,"content_block":{"type":"x","y":`+strings.Repeat("[", 99)+strings.Repeat("]", 99)+`}}`, end),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := stream(t, serve(t, streams(body)).model(t), request(abi.Human("hi")))
			failed := failure(t, err)
			require.Equal(t, model.ErrorResponse, failed.Kind, failed.Error())
			require.True(t, failed.Retryable)
			require.Zero(t, failed.Status)
		})
	}
}

func TestErrorsInStreams(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		event     string
		kind      model.ErrorKind
		retryable bool
	}{
		{`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, model.ErrorOverloaded, true},
		{`{"type":"error","error":{"type":"api_error","message":"Internal server error"}}`, model.ErrorServer, true},
		{`{"type":"error","error":{"type":"rate_limit_error","message":"Slow down"}}`, model.ErrorRateLimit, true},
		{`{"type":"error","error":{"type":"timeout_error","message":"Too slow"}}`, model.ErrorTimeout, true},
		{`{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 5 tokens > 4 maximum"}}`, model.ErrorContextLength, false},
		{`{"type":"error"}`, model.ErrorInvalidRequest, false},
		{`not JSON`, model.ErrorResponse, true},
	} {
		t.Run(test.event, func(t *testing.T) {
			t.Parallel()
			got, err := stream(t, serve(t, streams(events(begin, text, more)+"event: error\ndata: "+test.event+"\n\n")).model(t), request(abi.Human("hi")))
			failed := failure(t, err)
			require.Equal(t, test.kind, failed.Kind)
			require.Equal(t, test.retryable, failed.Retryable)
			require.Equal(t, "hi", got.text)
		})
	}
}
