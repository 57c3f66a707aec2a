package provider_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/anthropic"
	"github.com/agenthost/agenthost/host/model/gemini"
	"github.com/agenthost/agenthost/host/model/openai"
)

const (
	echoedKey   = "sk-secret-4711"
	echoedToken = "token-of-the-proxy"
)

// echoing is a provider whose server answers with what it was sent.
type echoing struct {
	model func(base string) model.Streamer
	whole func(text, args string) string   // an answer with a text and a tool call with JSON arguments
	piece func(text, more string) []string // the events of a stream with a text in two pieces, and the same in arguments
	fail  func(text string) string         // an event for an error
}

func echoers() map[string]echoing {
	headers := map[string]string{"X-Proxy-Token": echoedToken}
	quote := func(text string) string {
		quoted, _ := json.Marshal(text) //nolint:errchkjson // a string
		return string(quoted)
	}
	return map[string]echoing{
		"openai": {
			model: func(base string) model.Streamer {
				return &openai.Model{Name: "m", BaseURL: base, APIKey: echoedKey, Headers: headers}
			},
			whole: func(text, args string) string {
				return fmt.Sprintf(`{"model":%[1]s,"choices":[{"message":{"role":"assistant","content":%[1]s,"tool_calls":[{"id":"1","type":"function",`+
					`"function":{"name":"t","arguments":%[2]s}}]},"finish_reason":"tool_calls"}]}`, quote(text), quote(args))
			},
			piece: func(text, more string) []string {
				return []string{
					fmt.Sprintf(`{"choices":[{"delta":{"content":%[1]s,"tool_calls":[{"index":0,"id":"1","function":{"name":"t","arguments":%[2]s}}]}}]}`,
						quote(text), quote(`{"a":"`+text)),
					fmt.Sprintf(`{"choices":[{"delta":{"content":%[1]s,"tool_calls":[{"index":0,"function":{"arguments":%[2]s}}]},"finish_reason":"tool_calls"}]}`,
						quote(more), quote(more+`"}`)),
				}
			},
			fail: func(text string) string { return fmt.Sprintf(`{"error":{"message":%s}}`, quote(text)) },
		},
		"anthropic": {
			model: func(base string) model.Streamer {
				return &anthropic.Model{Name: "m", BaseURL: base, APIKey: echoedKey, Headers: headers}
			},
			whole: func(text, args string) string {
				return fmt.Sprintf(`{"type":"message","role":"assistant","model":%[1]s,"content":[{"type":"text","text":%[1]s},`+
					`{"type":"tool_use","id":"1","name":"t","input":%[2]s}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":1}}`, quote(text), args)
			},
			piece: func(text, more string) []string {
				delta := `{"type":"content_block_delta","index":%d,"delta":{"type":"%s_delta","%s":%s}}`
				return []string{
					`{"type":"message_start","message":{"type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":1,"output_tokens":1}}}`,
					`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
					fmt.Sprintf(delta, 0, "text", "text", quote(text)), fmt.Sprintf(delta, 0, "text", "text", quote(more)),
					`{"type":"content_block_stop","index":0}`,
					`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"1","name":"t","input":{}}}`,
					fmt.Sprintf(delta, 1, "input_json", "partial_json", quote(`{"a":"`+text)), fmt.Sprintf(delta, 1, "input_json", "partial_json", quote(more+`"}`)),
					`{"type":"content_block_stop","index":1}`, `{"type":"message_delta","delta":{"stop_reason":"tool_use"}}`, `{"type":"message_stop"}`,
				}
			},
			fail: func(text string) string {
				return fmt.Sprintf(`{"type":"error","error":{"type":"api_error","message":%s}}`, quote(text))
			},
		},
		"gemini": {
			model: func(base string) model.Streamer {
				return &gemini.Model{Name: "m", BaseURL: base, APIKey: echoedKey, Headers: headers}
			},
			whole: func(text, args string) string {
				return fmt.Sprintf(`{"modelVersion":%[1]s,"candidates":[{"content":{"parts":[{"text":%[1]s},{"functionCall":{"name":"t","args":%[2]s}}]},`+
					`"finishReason":"STOP"}]}`, quote(text), args)
			},
			piece: func(text, more string) []string {
				return []string{
					fmt.Sprintf(`{"candidates":[{"content":{"parts":[{"text":%s}]}}]}`, quote(text)),
					fmt.Sprintf(`{"candidates":[{"content":{"parts":[{"text":%s},{"functionCall":{"name":"t","args":{"a":%s}}}]},"finishReason":"STOP"}]}`,
						quote(more), quote(text+more)),
				}
			},
			fail: func(text string) string { return fmt.Sprintf(`{"error":{"message":%s}}`, quote(text)) },
		},
	}
}

// A server that echoes what it was sent puts no credential into an error, a piece of an answer, or a message.
func TestEchoedCredentialsAreHidden(t *testing.T) {
	t.Parallel()
	said := "Authorization: Bearer " + echoedKey + "; proxy " + echoedToken + "."
	for name, p := range echoers() {
		for kind, answer := range map[string]struct {
			status int
			body   string
		}{
			"an error":             {401, p.fail(said)},
			"a page":               {502, "<html>" + said},
			"no answer":            {200, "<html>" + said},
			"an escaped error":     {400, escaped(p.fail(said))},
			"half an answer":       {200, p.whole(said, `{"a":"`+echoedKey+`"}`)[:60] + said},
			"an answer":            {200, p.whole(said, `{"a":"`+echoedKey+`","`+echoedToken+`":[{"b":"`+echoedKey+`"}]}`)},
			"an escaped answer":    {200, escaped(p.whole(said, `{"a":"`+echoedKey+`"}`))},
			"a stream":             {200, stream(p.piece(said, " More."))},
			"a stream with a cut":  {200, stream(p.piece("Hi. Bearer "+echoedKey[:5], echoedKey[5:]+" More."))},
			"an error in a stream": {200, stream([]string{p.piece("Hi. ", "")[0], p.fail(said)})},
			"an event":             {200, "data: {" + said + "\n\n"},
		} {
			t.Run(name+", "+kind, func(t *testing.T) {
				t.Parallel()
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("X-Echo", said)
					w.WriteHeader(answer.status)
					_, _ = io.WriteString(w, answer.body)
				}))
				defer server.Close()
				m := p.model(server.URL)
				request := &model.Request{Messages: history.Of(abi.Human("hi"))}
				streamed, written := "", ""
				for chunk, err := range m.Stream(t.Context(), request) {
					streamed += chunk.Text
					streamed += chunk.Reasoning
					for _, piece := range chunk.Calls {
						written += piece.Args
					}
					hidden(t, chunk.Response, err)
				}
				hidden(t, nil, fmt.Errorf("%s", streamed+written)) //nolint:err113 // its text
				resp, err := m.Generate(t.Context(), request)
				hidden(t, resp, err)
				switch {
				case !strings.Contains(kind, "stream") && strings.Contains(kind, " answer") && kind != "no answer" && kind != "half an answer":
					require.NoError(t, err)
					require.Equal(t, "Authorization: Bearer ***; proxy ***.", resp.AI().Content.Text())
				case kind == "a stream with a cut":
					require.Equal(t, "Hi. Bearer *** More.", streamed)
					if name != "gemini" { // it has no pieces of calls
						require.Equal(t, `{"a":"Hi. Bearer *** More."}`, written)
					}
				}
			})
		}
	}
}

// hidden fails if a result shows a credential.
func hidden(t *testing.T, resp *model.Response, err error) {
	t.Helper()
	texts := []string{fmt.Sprint(err), fmt.Sprintf("%+v", resp)}
	if resp != nil {
		for i := range resp.Messages {
			texts = append(texts, resp.Messages[i].ToolCalls[0].Args.JSON(), fmt.Sprintf("%+v", resp.Messages[i]))
		}
		encoded, encoding := resp.AI().MarshalMsg(nil)
		require.NoError(t, encoding)
		texts = append(texts, string(encoded))
	}
	for _, text := range texts {
		for _, secret := range []string{echoedKey, echoedToken, "secret-4711"} {
			require.NotContains(t, text, secret)
		}
	}
}

// escaped writes the letter s as an escape of JSON, which a search in the bytes does not find.
func escaped(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "sk-secret", `\u0073k-secret`), "token-of", `\u0074oken-of`)
}

// stream returns server-sent events.
func stream(events []string) string {
	var out strings.Builder
	for _, event := range events {
		var kind struct {
			Type string `json:"type"`
		}
		_ = json.Unmarshal([]byte(event), &kind)
		if kind.Type != "" {
			out.WriteString("event: " + kind.Type + "\n")
		}
		out.WriteString("data: " + event + "\n\n")
	}
	return out.String()
}
