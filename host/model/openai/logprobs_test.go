package openai_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/openai"
)

// A request for one token says how long the answer may be, in place of the settings, and returns the candidates for the first token.
func TestFirstTokens(t *testing.T) {
	t.Parallel()
	const tokens = `[{"token":"Yes","logprob":-0.5,"top_logprobs":[{"token":"Yes","logprob":-0.5,"bytes":[89]},{"token":"No","logprob":-1}]},` +
		`{"token":"!","logprob":0,"top_logprobs":[{"token":"!","logprob":0}]}]`
	said := map[openai.API]map[bool]string{
		openai.ChatCompletions: {
			false: `{"id":"1","model":"m","choices":[{"message":{"content":" "},"finish_reason":"length","logprobs":{"content":` + tokens + `}}]}`,
			true: `data: {"choices":[{"delta":{"content":""}}]}` + "\n\n" +
				`data: {"choices":[{"delta":{"content":" "},"finish_reason":"length","logprobs":{"content":` + tokens + `}}]}` + "\n\ndata: [DONE]\n\n",
		},
	}
	whole := `{"id":"1","model":"m","status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[{"type":"message",` +
		`"content":[{"type":"output_text","text":" ","annotations":[],"logprobs":` + tokens + `}]}]}`
	said[openai.Responses] = map[bool]string{false: whole, true: `data: {"type":"response.incomplete","response":` + whole + "}\n\n"}
	eachWay(t, func(t *testing.T, api openai.API, streaming bool) {
		t.Helper()
		s := saying(t, said[api][streaming])
		m := modelAt(t, s, api)
		m.Settings.Set("max_tokens", wire.Int(500))
		req := request(hi)
		req.TopLogprobs = 5
		resp, err := ask(t, m, req, streaming)
		require.NoError(t, err)
		require.Equal(t, []model.Logprob{{Token: "Yes", Logprob: -0.5}, {Token: "No", Logprob: -1}}, resp.Logprobs)
		body := s.last(t).body
		require.InDelta(t, 5, body["top_logprobs"], 0)
		if api == openai.Responses {
			require.InDelta(t, 16, body["max_output_tokens"], 0)
			require.Contains(t, body["include"], "message.output_text.logprobs")
			require.Contains(t, body["include"], "reasoning.encrypted_content")
		} else {
			require.InDelta(t, 1, body["max_tokens"], 0)
			require.Equal(t, true, body["logprobs"])
		}
		req.TopLogprobs = 0
		resp, err = ask(t, m, req, streaming)
		if err == nil { // a blank answer is one only if a token was asked for
			require.Empty(t, resp.Logprobs)
		}
		require.NotContains(t, s.last(t).body, "top_logprobs")
	})
}

// Long lists are cut.
func TestFirstTokensAreBounded(t *testing.T) {
	t.Parallel()
	many := make([]map[string]any, 1000)
	for i := range many {
		many[i] = map[string]any{"token": "Yes", "logprob": -1}
	}
	top, err := json.Marshal(many)
	require.NoError(t, err)
	m := modelAt(t, saying(t, `{"choices":[{"message":{"content":"Yes"},"logprobs":{"content":[{"top_logprobs":`+string(top)+`}]}}]}`), "")
	req := request(hi)
	req.TopLogprobs = 5
	resp, err := m.Generate(t.Context(), req)
	require.NoError(t, err)
	require.Len(t, resp.Logprobs, 100)
}

// The presets say which services report log probabilities.
func TestLogprobsOfPresets(t *testing.T) {
	t.Parallel()
	require.Equal(t, model.SupportYes, (&openai.Model{Name: "gpt-4.1-mini"}).Info().Logprobs)
	require.Equal(t, model.SupportNo, (&openai.Model{Name: "gpt-5.2"}).Info().Logprobs)
	require.Equal(t, model.SupportUnknown, (&openai.Model{Name: "qwen3"}).Info().Logprobs)
	for provider, want := range map[string]model.Support{
		"vllm": model.SupportYes, "groq": model.SupportNo, "mistral": model.SupportNo, "lmstudio": model.SupportNo, "openrouter": model.SupportUnknown,
	} {
		require.Equal(t, want, (&openai.Model{Provider: provider, Name: "x"}).Info().Logprobs, provider)
	}
}
