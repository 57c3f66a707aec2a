package builtin_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
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

type args = map[string]any

// files are the contents of files, by path.
type files map[string]string

// fileTrees are where the files of the middleware may be: in a directory of the disk, in the state, or in the agent's store.
var fileTrees = []string{"disk", "state", "store"}

// withFiles runs an agent whose model makes these calls, one batch after the other, with a filesystem that has these
// files, and returns the result and the files then.
func withFiles(
	t *testing.T, tree string, config builtin.Filesystem, given files, turns ...scripted.Turn,
) (*host.Result, files) {
	t.Helper()
	input, values := host.Input{Messages: []abi.Message{abi.Human("go")}}, memory.New()
	switch tree {
	case "disk":
		config.Root = directory(t, given)
	case "store":
		for name, text := range given {
			_, err := values.Put(t.Context(), storedFiles, name, []byte(text), store.PutOptions{})
			require.NoError(t, err)
		}
		config.Backend = builtin.FileBackend{Backend: backend.Store{Namespace: backend.Namespace("tests")}}
	default:
		input.State = map[string]any{"files": inState(given)}
	}
	agent, err := host.New(host.Config{
		Model:      &scripted.Turns{Script: turns, AfterEnd: scripted.EndEmpty},
		Middleware: []host.Middleware{config}, Store: values,
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, agent.Close()) }()
	result, err := agent.Run(t.Context(), input)
	require.NoError(t, err)
	switch tree {
	case "disk":
		return result, filesIn(t, config.Root)
	case "store":
		page, err := values.List(t.Context(), storedFiles, store.Query{Values: true})
		require.NoError(t, err)
		stored := files{}
		for _, entry := range page.Items {
			stored[entry.Key] = string(entry.Value)
		}
		return result, stored
	}
	return result, stateFiles(t, result)
}

// storedFiles is the namespace of the files of a store.
var storedFiles = store.Namespace{"files", "tests"}

// directory makes a directory with files.
func directory(t *testing.T, given files) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range given {
		file := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	return dir
}

func filesIn(t *testing.T, dir string) files {
	t.Helper()
	out := files{}
	require.NoError(t, filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, file)
		out["/"+filepath.ToSlash(name)] = string(text)
		return err
	}))
	return out
}

func inState(given files) map[string]backend.Entry {
	out := map[string]backend.Entry{}
	for name, text := range given {
		out[name] = backend.Entry{Content: text, Encoding: "utf-8", CreatedAt: "2024-01-02T03:04:05Z", ModifiedAt: "2024-01-02T03:04:05Z"}
	}
	return out
}

func stateFiles(t *testing.T, result *host.Result) files {
	t.Helper()
	var entries map[string]backend.Entry
	require.NoError(t, host.Decode(result.State.Get("files"), &entries))
	out := files{}
	for name, entry := range entries {
		out[name] = entry.Content
	}
	return out
}

// one is a turn with one call.
func one(name string, arguments args) scripted.Turn {
	return scripted.CallTools(abi.Call("id", name, arguments))
}

// toolAnswers are the texts of the tool messages, with "! " before those of calls that have failed.
func toolAnswers(result *host.Result) []string {
	var out []string
	for _, m := range result.Messages.All() {
		if m.Role == abi.RoleTool {
			text := m.Content.Text()
			if m.Failed() {
				text = "! " + text
			}
			out = append(out, text)
		}
	}
	return out
}

func tree() files {
	return files{
		"/notes.txt": "one\ntwo\nthree\n", "/src/main.go": "package main\n\nfunc main() {}\n", "/src/deep/a.go": "package deep\n",
		"/empty.txt": "", "/blank.txt": " \n\t\n", "/.hidden/x.go": "package hidden\n", "/crlf.txt": "a\r\nb\r\n",
		"/long.txt": strings.Repeat("x", 5001) + "\nend\n",
	}
}

func TestFilesystemTools(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 5000)
	for _, test := range []struct {
		tool string
		args args
		want string
	}{
		{"ls", args{"path": "/"}, `["/.hidden/","/blank.txt","/crlf.txt","/empty.txt","/long.txt","/notes.txt","/src/"]`},
		{"ls", args{"path": "src/"}, `["/src/deep/","/src/main.go"]`},
		{"ls", args{"path": "/none"}, "No files found"},
		{"ls", args{"path": "/notes.txt"}, "No files found"},
		{"ls", args{"path": "../"}, "! Error: Path traversal not allowed: ../"},

		{"read_file", args{"file_path": "/notes.txt"}, "@@ lines 1-3 of 3 @@\none\ntwo\nthree"},
		{"read_file", args{"file_path": "notes.txt", "offset": 1}, "@@ lines 2-3 of 3 @@\ntwo\nthree"},
		{"read_file", args{"file_path": "/notes.txt", "limit": 1}, "@@ lines 1-1 of 3 | next offset 1 @@\none"},
		{"read_file", args{"file_path": "/notes.txt", "offset": 1, "limit": 1}, "@@ lines 2-2 of 3 | next offset 2 @@\ntwo"},
		{
			"read_file",
			args{"file_path": "/notes.txt", "offset": -5, "limit": 2},
			"[Requested offset -5 is before the start of the file; read from line 1 instead.]\n@@ lines 1-2 of 3 | next offset 2 @@\none\ntwo",
		},
		{"read_file", args{"file_path": "/notes.txt", "offset": 3}, "! Error: Line offset 3 exceeds file length (3 lines)"},
		{
			"read_file",
			args{"file_path": "/notes.txt", "limit": 0},
			"System reminder: no lines were read because `limit` was 0. The file was not inspected and may have contents; " +
				"retry with `limit` >= 1 to read it.",
		},
		{"read_file", args{"file_path": "/empty.txt"}, "System reminder: File exists but has empty contents"},
		{"read_file", args{"file_path": "/blank.txt", "limit": 0}, "System reminder: File exists but has empty contents"},
		{"read_file", args{"file_path": "/crlf.txt"}, "@@ lines 1-2 of 2 @@\na\nb"},
		{"read_file", args{"file_path": "/long.txt"}, "@@ lines 1-2 of 2 @@\n" + long + "x\nend"},
		{"read_file", args{"file_path": "/none"}, "! Error: File '/none' not found"},
		{"read_file", args{"file_path": "/src"}, "! Error: '/src' is a directory, not a file"},
		{"read_file", args{"file_path": `C:\x`}, `! Error: Windows absolute paths are not supported: C:\x. ` +
			"Please use virtual paths starting with / (e.g., /workspace/file.txt)"},
		{"read_file", args{"file_path": "/none.png"}, "! Error: File '/none.png' not found"},
		{"read_file", args{"file_path": "/none.mp4"}, "! Error: File '/none.mp4' not found"},

		{"write_file", args{"file_path": "/notes.txt", "content": "x"}, "Updated file /notes.txt"},
		{"write_file", args{"file_path": "new/file", "content": ""}, "Updated file /new/file"},
		{"write_file", args{"file_path": "/src", "content": ""}, "! Error: '/src' is a directory, not a file"},
		{"write_file", args{"file_path": "/../x", "content": ""}, "! Error: Path traversal not allowed: /../x"},

		{
			"edit_file",
			args{"file_path": "/notes.txt", "old_string": "two", "new_string": "2"},
			"Successfully replaced 1 instance(s) of the string in '/notes.txt'",
		},
		{
			"edit_file",
			args{"file_path": "/notes.txt", "old_string": "e", "new_string": "E", "replace_all": true},
			"Successfully replaced 3 instance(s) of the string in '/notes.txt'",
		},
		{"edit_file", args{"file_path": "/notes.txt", "old_string": "four", "new_string": "4"}, "! Error: String not found in file: 'four'"},
		{"edit_file", args{"file_path": "/none", "old_string": "a", "new_string": "b"}, "! Error: File '/none' not found"},
		{
			"edit_file",
			args{"file_path": "/notes.txt", "old_string": "t", "new_string": "T"},
			"! Error: String 't' appears 2 times in file. Use replace_all=True to replace all instances, " +
				"or provide a more specific string with surrounding context.",
		},

		{"delete", args{"file_path": "/src"}, "Deleted /src"},
		{"delete", args{"file_path": "/none"}, "! Error: File '/none' not found"},
		{"delete", args{"file_path": "/"}, "! Error: The root directory cannot be deleted"},

		{"glob", args{"pattern": "*.go"}, `["/.hidden/x.go","/src/deep/a.go","/src/main.go"]`},
		{"glob", args{"pattern": "/*.txt"}, `["/blank.txt","/crlf.txt","/empty.txt","/long.txt","/notes.txt"]`},
		{"glob", args{"pattern": "deep/*", "path": "/src"}, `["/src/deep/a.go"]`},
		{"glob", args{"pattern": "*.rs"}, "No files found"},
		{"glob", args{"pattern": "*", "path": "/none"}, "No files found"},
		{"glob", args{"pattern": "[a-"}, `! Error: Invalid glob pattern: "[a-" has a bracket, a brace or a backslash that does not end`},
		{"glob", args{"pattern": "*", "path": "~"}, "! Error: Path traversal not allowed: ~"},

		{"grep", args{"pattern": "package"}, "/.hidden/x.go\n/src/deep/a.go\n/src/main.go"},
		{"grep", args{"pattern": "package", "path": "/src", "output_mode": "count"}, "/src/deep/a.go: 1\n/src/main.go: 1"},
		{"grep", args{"pattern": "main", "glob": "*.go", "output_mode": "content"}, "/src/main.go:\n  1: package main\n  3: func main() {}"},
		{"grep", args{"pattern": "t", "path": "/notes.txt", "output_mode": "content"}, "/notes.txt:\n  2: two\n  3: three"},
		{"grep", args{"pattern": "b", "path": "/crlf.txt", "output_mode": "content"}, "/crlf.txt:\n  2: b"},
		{"grep", args{"pattern": "nowhere"}, "No matches found"},
		{"grep", args{"pattern": "x", "path": "/none"}, "No matches found"},
		{"grep", args{"pattern": "one|two"}, "No matches found\n\nNote: grep matches literal text, not regex, so characters like `|`, `.*`, " +
			"and `\\.` are searched verbatim. Search for the literal text you need instead; for `|` alternation, run a separate search per alternative."},
		{
			"grep",
			args{"pattern": "e", "path": "/notes.txt", "output_mode": "count", "max_count": 1},
			"/notes.txt: 1\n\nNote: the search stopped early (it hit its time limit or the maximum match count). The matches above are valid " +
				"but incomplete. Narrow the search (a more specific pattern or a narrower path), or raise max_count, to see the rest.",
		},
		{"grep", args{"pattern": "x", "path": "/a/.."}, "! Error: Path traversal not allowed: /a/.."},
	} {
		for _, where := range fileTrees {
			t.Run(fmt.Sprintf("%s %v in %s", test.tool, test.args, where), func(t *testing.T) {
				t.Parallel()
				result, _ := withFiles(t, where, builtin.Filesystem{}, tree(), one(test.tool, test.args))
				require.Equal(t, []string{test.want}, toolAnswers(result))
			})
		}
	}
}

func TestFilesystemChangesStay(t *testing.T) {
	t.Parallel()
	for _, where := range fileTrees {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			result, after := withFiles(t, where, builtin.Filesystem{}, tree(),
				one("write_file", args{"file_path": "/a/b", "content": "made"}),
				one("edit_file", args{"file_path": "/a/b", "old_string": "made", "new_string": "edited"}),
				one("delete", args{"file_path": "/src"}),
				one("edit_file", args{"file_path": "/crlf.txt", "old_string": "a\nb", "new_string": "c\nd"}),
				one("read_file", args{"file_path": "/a/b"}),
			)
			want := tree()
			delete(want, "/src/main.go")
			delete(want, "/src/deep/a.go")
			want["/a/b"], want["/crlf.txt"] = "edited", "c\r\nd\r\n"
			require.Equal(t, want, after)
			require.Equal(t, "@@ lines 1-1 of 1 @@\nedited", toolAnswers(result)[4])
		})
	}
}

// Calls of one answer that change one file do not undo each other.
func TestFilesystemEditsAtOnce(t *testing.T) {
	t.Parallel()
	for _, where := range fileTrees {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			var text strings.Builder
			var calls []abi.ToolCall
			for i := range 20 {
				fmt.Fprintf(&text, "line %d.\n", i)
				calls = append(calls,
					abi.Call(fmt.Sprintf("e%d", i), "edit_file",
						args{"file_path": "/f", "old_string": fmt.Sprintf("line %d.", i), "new_string": fmt.Sprintf("edited %d.", i)}),
					abi.Call(fmt.Sprintf("w%d", i), "write_file", args{"file_path": fmt.Sprintf("/%d", i), "content": "x"}))
			}
			_, after := withFiles(t, where, builtin.Filesystem{}, files{"/f": text.String()}, scripted.CallTools(calls...))
			require.Equal(t, strings.ReplaceAll(text.String(), "line", "edited"), after["/f"])
			require.Len(t, after, 21)
		})
	}
}

func TestFilesystemBinaryFiles(t *testing.T) {
	t.Parallel()
	png := "\x89PNG\r\n\x1a\n" + strings.Repeat("\x00", 20)
	given := files{
		"/a.png": png, "/b.jpg": png, "/fake.png": "<html></html>", "/doc.pdf": "%PDF-1.7 text", "/data.bin": "a\x00b", "/a.mp4": "x",
		"/big.png": png + strings.Repeat("\x00", 3_750_000), "/latin.txt": "caf\xe9\n", "/none.gif": "",
	}
	dir := directory(t, given)
	turns := make([]scripted.Turn, 0, len(given))
	names := []string{"/a.png", "/b.jpg", "/fake.png", "/doc.pdf", "/data.bin", "/a.mp4", "/big.png", "/latin.txt", "/none.gif"}
	for _, name := range names {
		turns = append(turns, one("read_file", args{"file_path": name}))
	}
	turns = append(turns, one("grep", args{"pattern": "a", "output_mode": "count"}),
		one("edit_file", args{"file_path": "/data.bin", "old_string": "a", "new_string": "b"}))
	result := runFilesystem(t, builtin.Filesystem{Root: dir}, &scripted.Turns{Script: turns, AfterEnd: scripted.EndEmpty})
	var shown []string
	for _, m := range result.Messages.All() {
		if m.Role == abi.RoleTool && !m.Content.IsText() {
			block := m.Content.Blocks()[0]
			shown = append(shown, fmt.Sprint(block.Type(), " ", block.String("mime_type"), " ", block.String("name"), " ", len(block.Data())))
		}
	}
	require.Equal(t, []string{"image image/png  28", "image image/png  28", "file application/pdf doc.pdf 13"}, shown)
	require.Equal(t, []string{
		"", "", "! Error: File '/fake.png' does not hold what its name says: it is text/html; charset=utf-8", "",
		"! Error: File '/data.bin' is binary and cannot be shown or edited as text",
		"! Error: File '/a.mp4' is of a kind that cannot be shown",
		"! Error: File '/big.png' is too large: 3750028 bytes, the limit is 3750000",
		"@@ lines 1-1 of 1 @@\ncaf\uFFFD", "System reminder: File exists but has empty contents",
		"/latin.txt: 1",
		"! Error: File '/data.bin' is binary and cannot be shown or edited as text",
	}, toolAnswers(result))
	require.Equal(t, given, filesIn(t, dir))
}

// blind is a model of which it is known that it takes neither images nor documents.
type blind struct{ *scripted.Turns }

func (blind) Info() model.Info {
	return model.Info{Name: "blind", Images: model.SupportNo, Files: model.SupportNo}
}

func TestFilesystemImagesForAModelThatTakesNone(t *testing.T) {
	t.Parallel()
	dir := directory(t, files{"/a.png": "\x89PNG\r\n\x1a\n", "/a.pdf": "%PDF-"})
	result := runFilesystem(t, builtin.Filesystem{Root: dir}, blind{scripted.NewTurns(
		one("read_file", args{"file_path": "/a.png"}), one("read_file", args{"file_path": "/a.pdf"}), scripted.Say("done"))})
	require.Equal(t, []string{
		"! Error: File '/a.png' was not attached because this model does not support image content",
		"! Error: File '/a.pdf' was not attached because this model does not support pdf content",
	}, toolAnswers(result))
}

func runFilesystem(t *testing.T, config builtin.Filesystem, m model.Model) *host.Result {
	t.Helper()
	agent, err := host.New(host.Config{Model: m, Middleware: []host.Middleware{config}})
	require.NoError(t, err)
	defer func() { require.NoError(t, agent.Close()) }()
	result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})
	require.NoError(t, err)
	return result
}

func TestFilesystemReadsWithinItsLimit(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 200 {
		fmt.Fprintf(&text, "%03d %s\n", i, strings.Repeat("ü", 36))
	}
	given := files{"/f": text.String(), "/line": strings.Repeat("y", 10_000)}
	for _, where := range fileTrees {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			config := builtin.Filesystem{ToolTokenLimitBeforeEvict: new(250)} // 1,000 characters
			result, _ := withFiles(t, where, config, given,
				one("read_file", args{"file_path": "/f", "offset": 10}), one("read_file", args{"file_path": "/line"}))
			answers := toolAnswers(result)
			const cut = "[Output was truncated due to size limits. The file content is very large. " +
				"Consider reformatting the file to make it easier to navigate.]\n@@ lines "
			require.LessOrEqual(t, len([]rune(answers[0])), 1000)
			require.Greater(t, len([]rune(answers[0])), 900)
			require.True(t, strings.HasPrefix(answers[0], cut+"11-29 of 200 | next offset 29 | truncated due to size @@\n010 "), answers[0])
			require.Contains(t, answers[0], "\n028 ")
			require.NotContains(t, answers[0], "\n029 ")
			require.InDelta(t, 1000, len(answers[1]), 2) // the header is counted with the widest number
			require.True(t, strings.HasPrefix(answers[1], cut+"1-1 of 1 | truncated mid-line | "), answers[1])
			require.Contains(t, answers[1], " of 10000 chars @@\nyyy")
		})
	}
}

func TestFilesystemListsAreCut(t *testing.T) {
	t.Parallel()
	given := files{}
	for i := range 500 {
		given[fmt.Sprintf("/%s%03d", strings.Repeat("n", 200), i)] = "match\n"
	}
	result, _ := withFiles(t, "state", builtin.Filesystem{}, given,
		one("ls", args{"path": "/"}), one("glob", args{"pattern": "*"}), one("grep", args{"pattern": "match"}))
	answers := toolAnswers(result)
	for _, answer := range answers[:2] {
		require.Less(t, len(answer), 82_000)
		require.True(t, strings.HasSuffix(answer, `,"... [results truncated, try being more specific with your parameters]"]`))
	}
	require.Less(t, len(answers[2]), 80_100)
	require.True(t, strings.HasSuffix(answers[2], "\n... [results truncated, try being more specific with your parameters]"))
}

// A state that the caller gives and that is none of files fails the run where it starts.
func TestFilesystemRefusesAStateOfSomethingElse(t *testing.T) {
	t.Parallel()
	agent, err := host.New(host.Config{Model: scripted.NewTurns(scripted.Say("hi")), Middleware: []host.Middleware{builtin.Filesystem{}}})
	require.NoError(t, err)
	defer func() { require.NoError(t, agent.Close()) }()
	_, err = agent.Run(t.Context(), host.Input{
		Messages: []abi.Message{abi.Human("go")}, State: map[string]any{"files": map[string]any{"../x": map[string]any{"content": ""}}},
	})
	require.ErrorContains(t, err, `"../x" is not a path of a file`)
}
