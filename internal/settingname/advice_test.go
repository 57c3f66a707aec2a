package settingname_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/internal/settingname"
)

func TestAdviceSaysWhatToWrite(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ provider, name, want string }{
		{"anthropic", "effort", "write output_config: {effort: high}"},
		{"gemini", "thinking_budget", "write generationConfig: {thinkingConfig: {thinkingBudget: 2000}}"},
		{"openai", "extra_body", "write settings: {KEY: VALUE}"},
		{"openai", "request_timeout", "write timeout: 2m"},
		{"openai", "retries", "write max_retries: 2"},
		{"openai", "disable_streaming", "write stream: false"},
		{"openai", "stream_usage", "the agent sets it itself; leave it out"},
		{"anthropic", "use_responses_api", ""},
		{"openai", "nonsense", ""},
		{"vllm", "effort", "write reasoning_effort: high"},
		{"vllm", "use_responses_api", ""},
		{"ollama", "num_ctx", "set OLLAMA_CONTEXT_LENGTH where ollama serve runs, or num_ctx in a Modelfile"},
	} {
		got, ok := settingname.Advice(test.provider, test.name, func(setting string) bool { return setting == "reasoning_effort" })
		require.Equal(t, test.want != "", ok, test)
		require.Equal(t, test.want, got)
	}
}

func TestTheDocumentHasTheTable(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/models.md")
	require.NoError(t, err)
	document, err := settingname.Document(string(text))
	require.NoError(t, err)
	require.Equal(t, document, string(text), "run make generate")
	_, err = settingname.Document("no table")
	require.ErrorContains(t, err, "no lines around the generated table")
}
