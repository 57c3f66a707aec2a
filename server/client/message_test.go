package client_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/server/client"
)

func TestMessagesInBothDirections(t *testing.T) {
	t.Parallel()
	messages := []abi.Message{
		abi.Human("What is new?"),
		abi.AI("I look.", abi.Call("c1", "search", map[string]any{"q": "news"})),
		{Role: abi.RoleTool, ToolCallID: "c1", Name: "search", Content: abi.Text("nothing"), Status: "error"},
	}
	written, err := client.WriteMessages(messages...)
	require.NoError(t, err)
	read, err := client.ReadMessages(json.RawMessage(written.JSON()))
	require.NoError(t, err)
	require.Len(t, read.Messages, len(messages))
	for i := range messages {
		read.Messages[i].Meta = nil // an empty one
		require.Equal(t, messages[i], read.Messages[i])
	}
	require.False(t, read.Reset)

	read, err = client.ReadMessages(json.RawMessage(`[{"type":"remove","id":"m1"},{"type":"remove","id":"__remove_all__"},{"type":"human","content":"hi"}]`))
	require.NoError(t, err)
	require.True(t, read.Reset)
	require.Empty(t, read.Remove)
	require.Equal(t, []abi.Message{abi.Human("hi")}, read.Messages)
}

func TestPiecesOfMessages(t *testing.T) {
	t.Parallel()
	piece, err := client.ReadPiece(json.RawMessage(`[{"type":"AIMessageChunk","id":"m1","content":"Hel"},{"langgraph_node":"model","type":"x"}]`))
	require.NoError(t, err)
	require.Equal(t, "model", piece.Step)
	require.Equal(t, "m1", piece.Message.ID)
	require.Equal(t, "Hel", piece.Message.Content.Text())
	require.False(t, piece.Whole)
	piece, err = client.ReadPiece(json.RawMessage(`[{"type":"ai","content":"Hello"},{}]`))
	require.NoError(t, err)
	require.True(t, piece.Whole)
	for _, odd := range []string{
		``, `{}`, `[]`, `[{"type":"ai","content":"x"}]`, `[1,2]`, `[{"type":"ai","content":"x"},[]]`, `[{"type":"dog","content":"x"},{}]`,
		`[{"type":"remove","id":"m"},{}]`, `[{"type":7},{}]`,
	} {
		_, err := client.ReadPiece(json.RawMessage(odd))
		require.ErrorContains(t, err, "the answer of the server is not usable", odd)
	}
}

func FuzzReadPiece(f *testing.F) {
	for _, seed := range []string{
		`[{"type":"AIMessageChunk","id":"m1","content":[{"type":"text","text":"a"}]},{"langgraph_node":"model"}]`,
		`[{"type":"tool","content":"x","tool_call_id":"c"},{}]`, `[[],[]]`, `[null,null]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		piece, err := client.ReadPiece(data)
		if err == nil && piece.Message.Role == "" {
			t.Fatal("a piece without a role")
		}
	})
}
