package modeltest_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
)

// numbered are answers of servers whose ids are numbers, too large for a float: whole, and streamed.
var numbered = map[string][2]string{
	chat: {
		`{"id":9007199254740993,"choices":[{"message":{"tool_calls":[{"id":9007199254740995,"function":{"name":"time","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`,
		`data: {"id":9007199254740993,"choices":[{"delta":{"tool_calls":[{"index":0,"id":9007199254740995,"function":{"name":"time","arguments":"{"}}]}}]}` + "\n\n" +
			`data: {"id":9007199254740993,"choices":[{"delta":{"tool_calls":[{"index":0,"id":9007199254740995,"function":{"arguments":"}"}}]},"finish_reason":"tool_calls"}]}` + "\n\n",
	},
	responses: {
		`{"id":9007199254740993,"status":"completed","output":[{"type":"function_call","id":3,"call_id":9007199254740995,"name":"time","arguments":"{}"}]}`,
		`data: {"type":"response.completed","response":{"id":9007199254740993,"status":"completed","output":[{"type":"function_call","id":3,"call_id":9007199254740995,"name":"time","arguments":"{}"}]}}` + "\n\n",
	},
	messages: {
		`{"id":9007199254740993,"type":"message","content":[{"type":"tool_use","id":9007199254740995,"name":"time","input":{}},{"type":"text","text":"so"}],"stop_reason":"tool_use"}`,
		`data: {"type":"message_start","message":{"id":9007199254740993,"content":[]}}` + "\n\n" +
			`data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":9007199254740995,"name":"time","input":{}}}` + "\n\n" +
			`data: {"type":"content_block_start","index":1,"content_block":{"type":"text","text":"so"}}` + "\n\n" +
			`data: {"type":"message_delta","delta":{"stop_reason":"tool_use"}}` + "\n\n" + `data: {"type":"message_stop"}` + "\n\n",
	},
	generate: {
		`{"responseId":9007199254740993,"candidates":[{"content":{"parts":[{"functionCall":{"id":9007199254740995,"name":"time","args":{}}}]},"finishReason":"STOP"}]}`,
		`data: {"responseId":9007199254740993,"candidates":[{"content":{"parts":[{"functionCall":{"id":9007199254740995,"name":"time","args":{}}}]},"finishReason":"STOP"}]}` + "\n\n",
	},
}

// Some servers number their answers and calls. The numbers become texts, and every digit stays.
func TestIDsMayBeNumbers(t *testing.T) {
	t.Parallel()
	for _, api := range allAPIs {
		for i, way := range []string{"whole", "streamed"} {
			t.Run(api+" "+way, func(t *testing.T) {
				t.Parallel()
				s := serve(t, numbered[spoken(api)][i])
				m := modelOf(t, api, s.URL)
				resp, err := ask(t, m, saying("hi"), i == 1)
				require.NoError(t, err)
				ai := resp.AI()
				id, _ := ai.Meta.Get("id").AsString()
				require.Equal(t, "9007199254740993", id)
				require.Len(t, ai.ToolCalls, 1)
				require.Equal(t, "9007199254740995", ai.ToolCalls[0].ID)

				_, err = ask(t, m, &model.Request{Messages: history.Of(abi.Human("hi"), *ai, abi.ToolResult(ai.ToolCalls[0], "noon"))}, i == 1)
				require.NoError(t, err)
				sent, err := json.Marshal(s.last(t))
				require.NoError(t, err)
				require.Equal(t, 2, strings.Count(string(sent), `"9007199254740995"`), "the call and its answer: %s", sent)
			})
		}
	}
}
