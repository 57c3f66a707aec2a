package builtin_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/backend"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/host/store"
	"github.com/agenthost/agenthost/host/store/memory"
)

// claudeCalls runs an agent of a model of Anthropic, which makes these calls one after the other, and returns the answers.
func claudeCalls(t *testing.T, config host.Config, tool string, calls ...args) (answers []string, asked *model.Request) {
	t.Helper()
	turns := make([]scripted.Turn, 0, len(calls)+1)
	for _, call := range calls {
		turns = append(turns, scripted.CallTools(abi.Call("1", tool, call)))
	}
	m := &sighted{Model: scripted.NewTurns(append(turns, scripted.Say("done"))...), info: model.Info{Name: "claude", Provider: "anthropic"}}
	config.Model = m
	out, err := try(t.Context(), t, config)
	require.NoError(t, err)
	for _, message := range out.result.Messages.All() {
		if message.Role == abi.RoleTool {
			text := message.Content.Text()
			if message.Failed() {
				text = "failed: " + text
			}
			answers = append(answers, text)
		}
	}
	return answers, m.last
}

const editorTool = "str_replace_based_edit_tool"

func definition(t *testing.T, req *model.Request) string {
	t.Helper()
	require.Empty(t, req.Tools, "the agent's own form of the tool is not offered")
	require.Len(t, req.ProviderTools, 1)
	return req.ProviderTools[0].Definition.Raw().JSON()
}

// The commands and their answers, wherever the files are.
func TestClaudeTextEditor(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"state", "disk", "store"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			config, editor := host.Config{Store: memory.New()}, builtin.ClaudeTextEditor{}
			switch kind {
			case "disk":
				editor.Root = t.TempDir()
			case "store":
				editor.Backend.Backend = backend.Store{Namespace: backend.Namespace("a")}
			}
			config.Middleware = []host.Middleware{editor}
			var calls []args
			var want []string
			for _, step := range []struct {
				call args
				want string
			}{
				{args{"command": "create", "path": "/src/a.txt", "file_text": "one\ntwo\ntwo\n"}, "File created: /src/a.txt"},
				{args{"command": "view", "path": "/src/a.txt"}, "1|one\n2|two\n3|two"},
				{args{"command": "view", "path": "/src/a.txt", "view_range": []any{2, -1}}, "2|two\n3|two"},
				{args{"command": "view", "path": "/src/a.txt", "view_range": []any{1, 1}}, "1|one"},
				{
					args{"command": "view", "path": "/src/a.txt", "view_range": []any{4, 5}},
					"failed: view_range must be [start, end] within the 3 lines of the file; the end -1 means the last line",
				},
				{args{"command": "str_replace", "path": "/src/a.txt", "old_str": "one", "new_str": "1"}, "String replaced in /src/a.txt"},
				{args{"command": "str_replace", "path": "/src/a.txt", "old_str": "x"}, "failed: String not found in file: x"},
				{
					args{"command": "str_replace", "path": "/src/a.txt", "old_str": "two"},
					"failed: String 'two' appears 2 times in file. Use replace_all=True to replace all instances, or provide a more specific " +
						"string with surrounding context.",
				},
				{args{"command": "insert", "path": "/src/a.txt", "insert_line": 0, "insert_text": "zero\n"}, "Text inserted in /src/a.txt"},
				{args{"command": "insert", "path": "/src/a.txt", "insert_line": 4, "new_str": "last"}, "Text inserted in /src/a.txt"},
				{
					args{"command": "insert", "path": "/src/a.txt", "insert_line": 6, "new_str": "x"},
					"failed: insert_line must be 0 to 5, the number of lines of the file, and is 6",
				},
				{args{"command": "view", "path": "src//a.txt"}, "1|zero\n2|1\n3|two\n4|two\n5|last"},
				{args{"command": "create", "path": "/src/deep/b.txt", "file_text": ""}, "File created: /src/deep/b.txt"},
				{args{"command": "view", "path": "/src"}, "/src/a.txt\n/src/deep/"},
				{args{"command": "rename", "path": "/src/a.txt", "new_path": "/src/deep/b.txt"}, "failed: the destination /src/deep/b.txt already exists"},
				{args{"command": "rename", "old_path": "/src/a.txt", "new_path": "/c.txt"}, "File renamed: /src/a.txt -> /c.txt"},
				{args{"command": "view", "path": "/src/a.txt"}, "failed: File not found: /src/a.txt"},
				{args{"command": "delete", "path": "/src"}, "File deleted: /src"},
				{args{"command": "delete", "path": "/src"}, "File deleted: /src"},
				{args{"command": "view", "path": "/"}, "/c.txt"},
				{args{"command": "view", "path": "/../c.txt"}, "failed: Path traversal not allowed: /../c.txt"},
				{args{"command": "undo_edit", "path": "/c.txt"}, "failed: Unknown command: undo_edit"},
				{args{"command": "create", "path": "/d.txt"}, "failed: the command create needs file_text"},
				{args{"command": "insert", "path": "/c.txt", "insert_line": 1}, "failed: the command insert needs insert_text"},
				{args{"command": "view"}, "failed: the command view needs path"},
			} {
				calls, want = append(calls, step.call), append(want, step.want)
			}
			answers, asked := claudeCalls(t, config, editorTool, calls...)
			require.Equal(t, want, answers)
			require.JSONEq(t, `{"type":"text_editor_20250728","name":"str_replace_based_edit_tool"}`, definition(t, asked))
		})
	}
}

// An allowed directory is left neither by a name that begins as it does, nor by a link.
func TestClaudeTextEditorKeepsToItsDirectories(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("symbolic links need a privilege there")
	}
	root := writeFiles(t, map[string]string{"secret.txt": "secret", "src/a.txt": "a"})
	require.NoError(t, os.Symlink("../secret.txt", filepath.Join(root, "src", "link.txt")))
	answers, _ := claudeCalls(t, host.Config{Middleware: []host.Middleware{
		builtin.ClaudeTextEditor{Root: root, AllowedPathPrefixes: []string{"/src/"}},
	}}, editorTool,
		args{"command": "view", "path": "/src/a.txt"}, args{"command": "view", "path": "/secret.txt"}, args{"command": "view", "path": "/src2"},
		args{"command": "view", "path": "/src/link.txt"}, args{"command": "rename", "path": "/src/a.txt", "new_path": "/a.txt"},
	)
	require.Equal(t, []string{
		"1|a", "failed: Path must start with one of ['/src']: /secret.txt", "failed: Path must start with one of ['/src']: /src2",
		"failed: Symbolic links are not followed here: /src/link.txt", "failed: Path must start with one of ['/src']: /a.txt",
	}, answers)
}

// What one thread has put into the memory, another one finds.
func TestClaudeMemory(t *testing.T) {
	t.Parallel()
	config := host.Config{Store: memory.New(), SystemPrompt: abi.Text("Base"), Middleware: []host.Middleware{
		builtin.ClaudeMemory{Backend: builtin.FileBackend{Backend: backend.Store{Namespace: backend.Namespace("tests")}}},
	}}
	answers, asked := claudeCalls(t, config, "memory",
		args{"command": "view", "path": "/memories"}, args{"command": "create", "path": "/memories/a.md", "file_text": "nuts"},
		args{"command": "create", "path": "/a.md", "file_text": "x"},
	)
	require.Equal(t, []string{
		"failed: File not found: /memories", "File created: /memories/a.md", "failed: Path must start with one of ['/memories']: /a.md",
	}, answers)
	require.JSONEq(t, `{"type":"memory_20250818","name":"memory"}`, definition(t, asked))
	require.Contains(t, asked.System.Text(), "Base\n\nIMPORTANT: ALWAYS VIEW YOUR MEMORY DIRECTORY BEFORE DOING ANYTHING ELSE.\nMEMORY PROTOCOL:\n1. Use the `view`")

	answers, _ = claudeCalls(t, config, "memory", args{"command": "view", "path": "/memories"}, args{"command": "view", "path": "/memories/a.md"})
	require.Equal(t, []string{"/memories/a.md", "1|nuts"}, answers)
	_, found, err := config.Store.Get(t.Context(), store.Namespace{"files", "tests"}, "/memories/a.md")
	require.NoError(t, err)
	require.True(t, found)
}

func TestClaudeToolsOfAnotherProvider(t *testing.T) {
	t.Parallel()
	for _, middleware := range []host.Middleware{
		builtin.ClaudeTextEditor{}, builtin.ClaudeMemory{}, builtin.ClaudeBash{ExecutionPolicy: builtin.ShellPolicy{Type: "host"}},
	} {
		m := &sighted{Model: scripted.NewTurns(scripted.Say("done")), info: model.Info{Name: "gpt", Provider: "openai"}}
		_, err := try(t.Context(), t, host.Config{Model: m, Middleware: []host.Middleware{middleware}})
		require.ErrorContains(t, err, middleware.Name()+": the tool ")
		require.ErrorContains(t, err, `is for Anthropic's models, and the model "gpt" is of the provider "openai"; use the middleware `)
	}
	for _, wrong := range []host.Middleware{
		builtin.ClaudeTextEditor{Root: "none"},
		builtin.ClaudeTextEditor{AllowedPathPrefixes: []string{}},
		builtin.ClaudeMemory{AllowedPathPrefixes: []string{"../x"}},
		builtin.ClaudeBash{},
	} {
		_, err := host.New(host.Config{Model: &scripted.Echo{}, Middleware: []host.Middleware{wrong}})
		require.Error(t, err)
	}
}

// The bash of a model of Anthropic is a session that lasts.
func TestClaudeBash(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there is no shell")
	}
	answers, asked := claudeCalls(t, host.Config{Middleware: []host.Middleware{
		builtin.ClaudeBash{ExecutionPolicy: builtin.ShellPolicy{Type: "host"}},
	}}, "bash", args{"command": "A=1"}, args{"command": "echo $A"}, args{"restart": true}, args{"command": "echo [$A]"})
	require.Equal(t, "1\n", answers[1])
	require.Equal(t, "[]\n", answers[3])
	require.JSONEq(t, `{"type":"bash_20250124","name":"bash"}`, definition(t, asked))
}
