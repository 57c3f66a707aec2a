package documents_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/internal/documents"
)

func TestTheDocumentsOfTheABI(t *testing.T) {
	t.Parallel()
	all, err := documents.Read("../../abi")
	require.NoError(t, err)
	byName := map[string]documents.Document{}
	for _, d := range all {
		require.NotEmpty(t, d.Doc, d.Name)
		require.NotEmpty(t, d.Fields, d.Name)
		byName[d.Name] = d
	}
	require.Equal(t, []documents.Field{
		{Key: "args", Doc: "a map", Type: documents.Type{Name: "wire.Raw"}},
		{Key: "id", Doc: "unique within its message", Type: documents.Type{Name: "string"}},
		{Key: "name", Type: documents.Type{Name: "string"}},
	}, byName["ToolCall"].Fields)
	require.Contains(t, byName["Message"].Fields, documents.Field{
		Key: "tool_calls", Doc: "in an AI message: the tools to call", Optional: true, Type: documents.Type{Name: "ToolCall", List: true},
	})
	require.Contains(t, byName["Message"].Fields, documents.Field{
		Key: "usage", Doc: "in an AI message: the tokens of its model call", Optional: true, Type: documents.Type{Name: "Usage"},
	})
}

func TestSourcesThatAreNotTheABI(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"package abi":                      "message.go: Message: there is no such type",
		"package abi\ntype Message int":    "message.go: Message: it is a *ast.Ident, not a struct",
		"package abi\ntype Message struct": "message.go:2",
		"package abi\n// A message.\ntype Message struct {\nA [][]int `msgpack:\"a\"`\n}": "message.go: Message: a: a field of the type",
		"package abi\n// A message.\ntype Message struct {\nA func() `msgpack:\"a\"`\n}":  "message.go: Message: a: a field of the type *ast.FuncType",
	} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "message.go"), []byte(source), 0o600))
		_, err := documents.Read(dir)
		require.ErrorContains(t, err, want)
	}
	_, err := documents.Read(t.TempDir())
	require.ErrorIs(t, err, os.ErrNotExist)
}
