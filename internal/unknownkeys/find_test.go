package unknownkeys_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/unknownkeys"
)

func document(t *testing.T, value map[string]any) wire.Raw {
	t.Helper()
	raw, err := wire.Of(value)
	require.NoError(t, err)
	return raw
}

func TestFind(t *testing.T) {
	t.Parallel()
	type object = map[string]any
	require.Equal(t, []string{
		`unknown key "capability"; did you mean "capabilities"?`,
		`unknown key "lives" in fields[1], which the host ignores`,
		`unknown key "read" in hooks.before_model; did you mean "reads"?`,
		`unknown key "wrapToolCall" in hooks; did you mean "wrap_tool_call"?`,
	}, unknownkeys.Find[abi.Description](document(t, object{
		"abi": 1, "name": "x", "version": "1", "capability": []any{}, "config_schema": object{"properties": object{"free": 1}},
		"fields": []any{object{"name": "a", "lifetime": "run"}, object{"name": "b", "lifetime": "run", "lives": 1}},
		"hooks":  object{"before_model": object{"read": []any{"f"}, "messages": object{"last": 1}}, "wrapToolCall": object{}},
	})))
	require.Equal(t, []string{
		`unknown key "jumpto"; did you mean "jump_to"?`,
		`unknown key "text" in messages[0], which the host ignores`,
		`unknown key "contents" in tool_message; did you mean "content"?`,
	}, unknownkeys.Find[abi.Result](document(t, object{
		"jumpto": "end", "state": object{"any": object{"jumpto": 1}}, "interrupts": []any{object{"key": "k", "value": object{"free": 1}}},
		"messages":     []any{object{"role": "ai", "text": "hi", "meta": object{"free": 1}, "content": []any{object{"type": "x", "free": 1}}}},
		"tool_message": object{"contents": "hi"}, "error": object{"type": "t", "message": "m", "data": object{"free": 1}},
	})))
}

func TestFindReportsFewKeysAndCleansThem(t *testing.T) {
	t.Parallel()
	many := map[string]any{"\x1b[31m\n": 1}
	for n := range 100 {
		many[fmt.Sprintf("key%d", n)] = n
	}
	found := unknownkeys.Find[abi.Result](document(t, many))
	require.Len(t, found, 10)
	require.Equal(t, `unknown key " [31m ", which the host ignores`, found[0])
}

func TestFindLeavesOtherTypesAlone(t *testing.T) {
	t.Parallel()
	require.Empty(t, unknownkeys.Find[abi.Result](wire.Int(7)))
	require.Empty(t, unknownkeys.Find[abi.Result](document(t, map[string]any{"messages": "no list", "error": []any{1}})))
}
