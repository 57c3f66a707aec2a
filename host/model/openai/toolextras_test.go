package openai_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/openai"
)

// The APIs refuse keys that they do not know, so those are left out.
func TestExtrasOfTools(t *testing.T) {
	t.Parallel()
	req := request(abi.Human("hi")).WithTools([]abi.ToolSpec{
		{Name: "a", Extras: mapOf(t, `{"defer_loading":true,"cache_control":{},"name":"b","parameters":{}}`)},
	})
	searching := req.AddProviderTools(model.ProviderTool{Name: model.ToolSearch})

	body := sent(t, &openai.Model{API: openai.Responses}, searching, false)
	require.Equal(t, parsed(t, `[{"type":"function","name":"a","parameters":{"type":"object","properties":{}},"strict":false,"defer_loading":true},
		{"type":"tool_search"}]`), body["tools"])

	body = sent(t, &openai.Model{API: openai.ChatCompletions}, req, false)
	require.Equal(t, parsed(t, `[{"type":"function","function":{"name":"a","parameters":{"type":"object","properties":{}}}}]`), body["tools"])
	_, err := modelAt(t, saying(t, "fine"), openai.ChatCompletions).Generate(t.Context(), searching)
	require.ErrorContains(t, err, `names "tool_search"; openai has no tools with a name in Chat Completions; use api: responses`)
}
