package modeltest_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// streamOf returns the stream in which an API would send an answer.
func streamOf(t *testing.T, api, answer string) string {
	t.Helper()
	var whole map[string]any
	require.NoError(t, json.Unmarshal([]byte(answer), &whole))
	var out strings.Builder
	say := func(event map[string]any) {
		text, err := json.Marshal(event)
		require.NoError(t, err)
		if kind, ok := event["type"].(string); ok {
			out.WriteString("event: " + kind + "\n")
		}
		out.WriteString("data: " + string(text) + "\n\n")
	}
	switch api {
	case chat:
		for _, choice := range listOf(whole, "choices") {
			choice["delta"] = choice["message"]
			delete(choice, "message")
			delta, _ := choice["delta"].(map[string]any)
			for i, call := range listOf(delta, "tool_calls") {
				call["index"] = i
			}
		}
		say(whole)
		out.WriteString("data: [DONE]\n\n")
	case responses:
		say(map[string]any{"type": "response.completed", "response": whole})
	case messages:
		blocks := listOf(whole, "content")
		end := map[string]any{"stop_reason": whole["stop_reason"]}
		whole["content"] = []any{}
		delete(whole, "stop_reason")
		say(map[string]any{"type": "message_start", "message": whole})
		for i, block := range blocks {
			begin, deltas := piecesOf(t, block)
			say(map[string]any{"type": "content_block_start", "index": i, "content_block": begin})
			for _, delta := range deltas {
				say(map[string]any{"type": "content_block_delta", "index": i, "delta": delta})
			}
			say(map[string]any{"type": "content_block_stop", "index": i})
		}
		say(map[string]any{"type": "message_delta", "delta": end})
		say(map[string]any{"type": "message_stop"})
	default:
		say(whole)
	}
	return out.String()
}

// piecesOf returns how Anthropic streams a block.
func piecesOf(t *testing.T, block map[string]any) (begin map[string]any, deltas []map[string]any) {
	t.Helper()
	begin = maps.Clone(block)
	switch block["type"] {
	case "thinking":
		begin["thinking"], begin["signature"] = "", ""
		deltas = append(deltas, map[string]any{"type": "thinking_delta", "thinking": block["thinking"]},
			map[string]any{"type": "signature_delta", "signature": block["signature"]})
	case "text":
		begin["text"] = ""
		delete(begin, "citations")
		deltas = append(deltas, map[string]any{"type": "text_delta", "text": block["text"]})
		for _, citation := range listOf(block, "citations") {
			deltas = append(deltas, map[string]any{"type": "citations_delta", "citation": citation})
		}
	case "tool_use", "server_tool_use":
		begin["input"] = map[string]any{}
		input, err := json.Marshal(block["input"])
		require.NoError(t, err)
		deltas = append(deltas, map[string]any{"type": "input_json_delta", "partial_json": string(input)})
	}
	return begin, deltas
}
