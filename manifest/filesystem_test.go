package manifest_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/manifest"
)

// The directories of middleware are relative to the manifest, wherever the program was started.
func TestFilesOfMiddlewareAreRelativeToTheManifest(t *testing.T) {
	t.Parallel()
	path := setup(t, head+`model:
  provider: scripted
  turns:
    - tool_calls: [{id: "1", name: read_file, args: {file_path: /a.txt}}, {id: "2", name: glob_search, args: {pattern: "*"}}]
    - tool_calls: [{id: "3", name: write_file, args: {file_path: /b.txt, content: made}}]
    - content: done
middleware:
  - filesystem: {root: data, tools: [read_file, write_file]}
  - file_search: {root_path: ./data/sub}
`, map[string]string{"data/a.txt": "text", "data/sub/c.txt": ""})
	result := ask(t, build(t, path, manifest.Options{}))
	var answers []string
	for _, m := range result.Messages.All() {
		if m.Role == abi.RoleTool {
			answers = append(answers, m.Content.Text())
		}
	}
	require.Equal(t, []string{"@@ lines 1-1 of 1 @@\ntext", "/c.txt", "Updated file /b.txt"}, answers)
	made, err := os.ReadFile(filepath.Join(filepath.Dir(path), "data", "b.txt"))
	require.NoError(t, err)
	require.Equal(t, "made", string(made))
}

func TestADirectoryThatIsMissing(t *testing.T) {
	t.Parallel()
	path := setup(t, head+"model: {provider: scripted, echo: true}\nmiddleware:\n  - filesystem: {root: none}\n", nil)
	m, err := manifest.Load(path, manifest.Options{})
	require.NoError(t, err)
	_, err = m.Build(t.Context(), nil, nil)
	require.ErrorContains(t, err, "agenthost.yaml:4:5")
	require.ErrorContains(t, err, "root: "+filepath.Join(filepath.Dir(path), "none"))
}
