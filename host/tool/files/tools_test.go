package files_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/tool/files"
)

func call(t *testing.T, b *testBundle, name string, args map[string]any) *host.ToolOutput {
	t.Helper()
	for _, tool := range b.Tools() {
		if tool.Spec().Name == name {
			c := abi.Call("1", name, args)
			out, err := tool.Call(t.Context(), nil, &c)
			require.NoError(t, err)
			return out
		}
	}
	require.FailNow(t, "there is no such tool", name)
	return nil
}

func TestTools(t *testing.T) {
	t.Parallel()
	b := setup(t, files.Options{Write: true}, map[string]string{"a.txt": "one\ntwo\n"})
	for _, test := range []struct {
		name   string
		args   map[string]any
		want   string
		failed bool
	}{
		{"list_files", nil, "a.txt (8 bytes)", false},
		{"read_file", map[string]any{"path": "a.txt", "offset": 2}, "two\n[lines 2-2, the end of the file]", false},
		{"search_files", map[string]any{"pattern": "^t", "glob": "*.txt"}, "a.txt:2: two", false},
		{"write_file", map[string]any{"path": "b.txt", "content": "x"}, "Created b.txt with 1 byte.", false},
		{"read_file", map[string]any{"path": "a.text"}, `Error: "a.text" does not exist; did you mean "a.txt"?`, true},
		{"read_file", map[string]any{"path": "../a.txt"}, `Error: "../a.txt" leads out of the root directory`, true},
		{"search_files", map[string]any{"pattern": "("}, "Error: pattern: missing closing ): `(`; the syntax is RE2's", true},
	} {
		out := call(t, b, test.name, test.args)
		require.Equal(t, test.want, out.Content.Text())
		require.Equal(t, test.failed, out.Failed)
	}
}

func TestWriteFileIsThereOnlyIfAllowed(t *testing.T) {
	t.Parallel()
	names := func(b *testBundle) (names []string) {
		for _, tool := range b.Tools() {
			require.True(t, tool.Spec().Idempotent)
			require.NotEmpty(t, tool.Spec().Description)
			names = append(names, tool.Spec().Name)
		}
		return names
	}
	require.Equal(t, []string{"list_files", "read_file", "search_files"}, names(setup(t, files.Options{}, nil)))
	require.Equal(t, []string{"list_files", "read_file", "search_files", "write_file"}, names(setup(t, files.Options{Write: true}, nil)))
}
