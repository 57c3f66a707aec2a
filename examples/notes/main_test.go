package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/sdk/go/sdktest"
)

func TestNotes(t *testing.T) { //nolint:paralleltest // one plugin for the whole process
	h := sdktest.New(t)
	call := func(id, tool string, args map[string]any) string {
		t.Helper()
		return h.Tool(abi.Call(id, tool, args)).Answer.Content.Text()
	}
	require.Equal(t, "0 notes\n", call("1", "list_notes", nil))
	require.Equal(t, "noted", call("2", "write_note", map[string]any{"text": "buy milk", "tags": []any{"home"}, "kind": "plan"}))
	require.Equal(t, "noted", call("3", "write_note", map[string]any{"text": "the tide is high at noon"}))
	require.Equal(t, "2 notes\n- buy milk (plan)\n- the tide is high at noon (fact)", call("4", "list_notes", nil))
	require.Equal(t, "1 notes\n- buy milk (plan)", call("5", "list_notes", map[string]any{"tag": "home"}))
}
