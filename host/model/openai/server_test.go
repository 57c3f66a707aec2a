package openai_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model/openai"
)

// Servers that are all named after OpenAI do not get each other's reasoning. The same one gets it back, also at another path.
func TestServersOfOneName(t *testing.T) {
	t.Parallel()
	for api, file := range map[openai.API]string{openai.ChatCompletions: "chat/deepseek.json", openai.Responses: "responses/open-weights.json"} {
		first := &openai.Model{
			Name: "m", BaseURL: oneServer, APIKey: "test-key", API: api, HTTPClient: client(func(recorded) string { return testdata(t, file) }),
		}
		resp, err := first.Generate(t.Context(), request(hi))
		require.NoError(t, err)
		ai := *resp.AI()
		require.NotEmpty(t, thought(&ai), "the answer shows nothing without reasoning")
		old := ai
		old.Meta = slices.Clone(ai.Meta)
		old.Meta.Delete("openai_server")

		for name, c := range map[string]struct {
			url    string
			answer abi.Message
			goes   bool
		}{
			"the same server":          {oneServer, ai, true},
			"another path":             {"http://MODELS.test:80/other/v1", ai, true},
			"another host":             {"http://other.test/v1", ai, false},
			"another port":             {"http://models.test:8080/v1", ai, false},
			"another scheme":           {"https://models.test/v1", ai, false},
			"an answer in old threads": {"http://other.test/v1", old, true},
		} {
			t.Run(string(api)+" "+name, func(t *testing.T) {
				t.Parallel()
				messages := []abi.Message{hi, c.answer}
				for i := range c.answer.ToolCalls {
					messages = append(messages, abi.ToolResult(c.answer.ToolCalls[i], "ok"))
				}
				m := &openai.Model{BaseURL: c.url, API: api}
				body := sent(t, m, request(append(messages, abi.Human("and now?"))...), false)
				text := indented(t, body)
				if c.goes {
					require.Contains(t, text, thought(&ai))
				} else {
					require.NotContains(t, text, thought(&ai))
				}
			})
		}
	}
}
