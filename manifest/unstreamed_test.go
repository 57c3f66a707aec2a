package manifest_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/manifest"
)

// wholeAnswers are answers with the text "hello" that are not streamed, by the path of the request.
var wholeAnswers = map[string]string{
	"/chat/completions": `{"model":"m","choices":[{"message":{"role":"assistant","content":"hello"},"finish_reason":"stop"}]}`,
	"/responses": `{"id":"1","model":"m","status":"completed","output":[{"type":"message","role":"assistant","content":` +
		`[{"type":"output_text","text":"hello","annotations":[]}]}]}`,
	"/v1/messages": `{"type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"hello"}],"stop_reason":"end_turn",` +
		`"usage":{"input_tokens":1,"output_tokens":1}}`,
	"/v1beta/models/m:generateContent": `{"modelVersion":"m","candidates":[{"content":{"parts":[{"text":"hello"}]},"finishReason":"STOP"}]}`,
}

// A model with stream: false is asked for the whole answer, and the run that streams shows its text once.
func TestAModelThatDoesNotStream(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		text, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(text, &body)
		if answer := wholeAnswers[r.URL.Path]; body["stream"] == nil && answer != "" {
			_, _ = io.WriteString(w, answer)
			return
		}
		w.WriteHeader(http.StatusTeapot)
	}))
	t.Cleanup(server.Close)
	for _, provider := range []string{"openai", "openai, api: responses", "anthropic", "gemini"} {
		lines := "apiVersion: agenthost/v1\nmodel: {provider: " + provider + ", name: m, stream: false, base_url: '" + server.URL + "'}\n"
		agent := build(t, setup(t, lines, nil), manifest.Options{InMemory: true})
		var said []string
		var answer string
		for event, err := range agent.Stream(t.Context(), host.Input{Messages: []abi.Message{abi.Human("hi")}}) {
			require.NoError(t, err, provider)
			switch event.Type { //nolint:exhaustive // the others do not matter
			case host.EventToken:
				said = append(said, event.Text)
			case host.EventModel:
				answer = event.Messages[0].Content.Text()
			}
		}
		require.Equal(t, []string{"hello"}, said, provider)
		require.Equal(t, "hello", answer, provider)
	}
}

func TestLimitsOfStreamsNeedAStream(t *testing.T) {
	t.Parallel()
	for keys, says := range map[string]string{
		", stream: false, first_token_timeout: 5s": "first_token_timeout has no effect with stream: false",
		", idle_timeout: 5s, stream: false":        "idle_timeout has no effect with stream: false",
		", stream: off":                            "expected true or false",
		", disable_streaming: true":                "write stream: false",
		", streaming: false":                       "write stream: false",
	} {
		_, err := limitsOf(t, "openai", keys)
		require.ErrorContains(t, err, says)
	}
	_, err := limitsOf(t, "openai", ", stream: true, idle_timeout: 5s")
	require.NoError(t, err)
}
