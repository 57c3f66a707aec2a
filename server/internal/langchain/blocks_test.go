package langchain_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/server/internal/langchain"
)

// In the output version v1, the content of an answer is a list of blocks with its tool calls.
func TestBlockMessages(t *testing.T) {
	t.Parallel()
	answer := abi.AI("Hello", abi.Call("c", "t", map[string]any{"n": 1}))
	answer.ID = "m"
	answer.InvalidToolCalls = []abi.InvalidToolCall{{ID: "d", Name: "t", Args: "{", Error: "e"}}
	require.JSONEq(t, `{"type":"ai","id":"m","name":null,"additional_kwargs":{},"response_metadata":{"output_version":"v1"},"usage_metadata":null,
		"content":[{"type":"text","text":"Hello"},{"type":"tool_call","id":"c","name":"t","args":{"n":1}},
			{"type":"invalid_tool_call","id":"d","name":"t","args":"{","error":"e"}],
		"tool_calls":[{"type":"tool_call","id":"c","name":"t","args":{"n":1}}],
		"invalid_tool_calls":[{"type":"invalid_tool_call","id":"d","name":"t","args":"{","error":"e"}]}`, string(langchain.BlockMessage(&answer)))
	silent := abi.AI("")
	require.Contains(t, string(langchain.BlockMessage(&silent)), `"content":[]`)
	human := abi.Human("hi")
	require.Equal(t, langchain.Message(&human), langchain.BlockMessage(&human), "only answers have the form")
	require.Equal(t, "{}", string(langchain.ResponseMetadata(&silent)))
	require.Nil(t, langchain.Usage(&silent))
	answer.Usage = &abi.Usage{InputTokens: 1, OutputTokens: 2, TotalTokens: 3}
	require.JSONEq(t, `{"input_tokens":1,"output_tokens":2,"total_tokens":3}`, string(langchain.Usage(&answer)))
}
