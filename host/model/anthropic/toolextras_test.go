package anthropic_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/anthropic"
)

// The API refuses keys that it does not know, so those are left out.
func TestExtrasOfTools(t *testing.T) {
	t.Parallel()
	req := request(abi.Human("hi")).WithTools([]abi.ToolSpec{
		{Name: "a", Extras: settings(t, `{"defer_loading":true,"input_examples":[{"x":1}],"async":true,"name":"b","input_schema":{}}`)},
	}).AddProviderTools(model.ProviderTool{Name: model.ToolSearch})
	body := sent(t, req, func(*anthropic.Model) {})
	require.Equal(t, value(t, `[{"name":"a","input_schema":{"type":"object","properties":{}},"defer_loading":true,"input_examples":[{"x":1}]},
		{"type":"tool_search_tool_bm25_20251119","name":"tool_search_tool_bm25"}]`), body["tools"])
}
