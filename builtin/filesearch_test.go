package builtin_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// searchIn runs calls of the tools of a search, one after the other, and returns their answers.
func searchIn(t *testing.T, config builtin.FileSearch, others []host.Middleware, turns ...scripted.Turn) []string {
	t.Helper()
	agent, err := host.New(host.Config{
		Model:      &scripted.Turns{Script: turns, AfterEnd: scripted.EndEmpty},
		Middleware: append([]host.Middleware{config}, others...),
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, agent.Close()) }()
	result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})
	require.NoError(t, err)
	return toolAnswers(result)
}

func TestFileSearch(t *testing.T) {
	t.Parallel()
	dir := directory(t, files{
		"/main.py": "import os\nprint(1)\n", "/src/a.py": "import sys\n", "/src/deep/b.ts": "import x\nimport y\n", "/README.md": "Read me\r\n",
		"/.env": "import nothing\n", "/.git/config": "import git\n", "/data.bin": "import\x00", "/huge.txt": "import " + strings.Repeat("x", 1<<20),
		"/ünï/日本.txt": "import ü\n", "/src/empty": "",
	})
	outside := filepath.Join(filepath.Dir(dir), "outside-"+filepath.Base(dir))
	require.NoError(t, os.Mkdir(outside, 0o755))
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(outside)) })
	require.NoError(t, os.WriteFile(filepath.Join(outside, "secret.py"), []byte("import secret\n"), 0o600))
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "link")))
	require.NoError(t, os.Symlink(filepath.Join(outside, "secret.py"), filepath.Join(dir, "link.py")))
	for _, test := range []struct {
		tool string
		args args
		want string
	}{
		{"glob_search", args{"pattern": "**/*.py"}, "/main.py\n/src/a.py"},
		{"glob_search", args{"pattern": "*.py"}, "/main.py"},
		{"glob_search", args{"pattern": "/*.py"}, "/main.py"},
		{"glob_search", args{"pattern": "*.py", "path": "/src"}, "/src/a.py"},
		{"glob_search", args{"pattern": "**/*.{ts,md}", "path": "/"}, "/README.md\n/src/deep/b.ts"},
		{"glob_search", args{"pattern": "**", "path": "src/deep/"}, "/src/deep/b.ts"},
		{"glob_search", args{"pattern": ".env"}, "/.env"},
		{"glob_search", args{"pattern": "ü*/*"}, "/ünï/日本.txt"},
		{"glob_search", args{"pattern": "*.rs"}, "No files found"},
		{"glob_search", args{"pattern": "*", "path": "/none"}, "No files found"},
		{"glob_search", args{"pattern": "*", "path": "/../" + filepath.Base(outside)}, "No files found"},
		{"glob_search", args{"pattern": "../*/*"}, "No files found"},
		{"glob_search", args{"pattern": "*", "path": "~/"}, "No files found"},
		{"glob_search", args{"pattern": "*", "path": "/link"}, "No files found"},
		{"glob_search", args{"pattern": "*", "path": `C:\`}, "No files found"},
		{"glob_search", args{"pattern": "*", "path": outside}, "No files found"},
		{"glob_search", args{"pattern": "[a"}, `! Error: Invalid glob pattern: "[a" has a bracket, a brace or a backslash that does not end`},
		{"glob_search", args{"pattern": ""}, "! Error: a glob must have 1 to 1000 bytes"},

		{"grep_search", args{"pattern": "^import"}, "/.env\n/main.py\n/src/a.py\n/src/deep/b.ts\n/ünï/日本.txt"},
		{"grep_search", args{"pattern": "import [os]", "output_mode": "content"}, "/main.py:1:import os\n/src/a.py:1:import sys"},
		{"grep_search", args{"pattern": "import", "path": "/src", "output_mode": "count"}, "/src/a.py:1\n/src/deep/b.ts:2"},
		{"grep_search", args{"pattern": "import", "include": "*.{py,ts}"}, "/main.py\n/src/a.py\n/src/deep/b.ts"},
		{"grep_search", args{"pattern": "import", "include": "src/*.py"}, "No matches found"},
		{"grep_search", args{"pattern": "import", "path": "/main.py"}, "/main.py"},
		{"grep_search", args{"pattern": "me$", "output_mode": "content"}, "/README.md:1:Read me"},
		{"grep_search", args{"pattern": "(?i)IMPORT SYS"}, "/src/a.py"},
		{"grep_search", args{"pattern": "secret"}, "No matches found"},
		{"grep_search", args{"pattern": "secret", "path": "/link"}, "No matches found"},
		{"grep_search", args{"pattern": "secret", "path": "/link.py"}, "No matches found"},
		{"grep_search", args{"pattern": "secret", "path": "../" + filepath.Base(outside)}, "No matches found"},
		{"grep_search", args{"pattern": "x", "path": "/none"}, "No matches found"},
		{"grep_search", args{"pattern": "a(b"}, "! Invalid regex pattern: missing closing ): `a(b`"},
		{"grep_search", args{"pattern": "(?=a)"}, "! Invalid regex pattern: invalid or unsupported Perl syntax: `(?=`"},
		{"grep_search", args{"pattern": strings.Repeat("a", 10_001)}, "! Invalid regex pattern: it has more than 10000 bytes"},
		{"grep_search", args{"pattern": "a", "include": "*.{py"}, "! Invalid include pattern"},
		{"grep_search", args{"pattern": "a", "include": "a\nb"}, "! Invalid include pattern"},
	} {
		got := searchIn(t, builtin.FileSearch{RootPath: dir, MaxFileSizeMB: 1}, nil, one(test.tool, test.args))
		require.Equal(t, []string{test.want}, got, "%s %v", test.tool, test.args)
	}
}

// Calls of one batch, next to other middleware.
func TestFileSearchAtOnce(t *testing.T) {
	t.Parallel()
	dir := directory(t, files{"/a.txt": "a\n", "/b.txt": "b\n"})
	answers := searchIn(t, builtin.FileSearch{RootPath: dir}, []host.Middleware{
		builtin.ToolCallLimit{ToolName: "grep_search", RunLimit: new(1)}, builtin.PatchToolCalls{},
	}, scripted.CallTools(
		abi.Call("1", "glob_search", args{"pattern": "*"}), abi.Call("2", "grep_search", args{"pattern": "a"}),
		abi.Call("3", "grep_search", args{"pattern": "b"}), abi.Call("4", "glob_search", args{"pattern": "b*"}),
	))
	require.ElementsMatch(t, []string{
		"/a.txt\n/b.txt", "/a.txt", "! Tool call limit exceeded. Do not call 'grep_search' again.", "/b.txt",
	}, answers)
}

// A result is bounded, and says that it is not all.
func TestFileSearchIsBounded(t *testing.T) {
	t.Parallel()
	given := files{}
	for i := range 500 {
		given[fmt.Sprintf("/%s%03d", strings.Repeat("n", 200), i)] = "match " + strings.Repeat("x", 3000) + "\n"
	}
	dir := directory(t, given)
	for _, turn := range []scripted.Turn{
		one("glob_search", args{"pattern": "*"}), one("grep_search", args{"pattern": "match"}),
		one("grep_search", args{"pattern": "match", "output_mode": "content"}),
	} {
		answers := searchIn(t, builtin.FileSearch{RootPath: dir}, nil, turn)
		require.Less(t, len(answers[0]), 80_200)
		require.Contains(t, answers[0], "\n... [results truncated, try being more specific with your parameters]")
	}
	answers := searchIn(t, builtin.FileSearch{RootPath: dir}, nil, one("grep_search", args{"pattern": "match", "output_mode": "count"}))
	require.Contains(t, answers[0], "nnn000:1\n")
	lines := directory(t, files{"/many": strings.Repeat("x\n", 100_001)})
	answers = searchIn(t, builtin.FileSearch{RootPath: lines}, nil, one("grep_search", args{"pattern": "x", "output_mode": "count"}))
	require.Equal(t, "/many:100000\n\n[the search stopped before the end: there is too much to search; name a directory]", answers[0])
}

func TestFileSearchConfiguration(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		config builtin.FileSearch
		err    string
	}{
		{builtin.FileSearch{}, "root_path is missing; name the directory to search"},
		{builtin.FileSearch{RootPath: "/none/at/all"}, "root_path: /none/at/all: there is no such directory"},
		{builtin.FileSearch{RootPath: ".", MaxFileSizeMB: -1}, "max_file_size_mb must be 1 to 1024, got -1"},
		{builtin.FileSearch{RootPath: ".", MaxFileSizeMB: 1 << 50}, "max_file_size_mb must be 1 to 1024, got 1125899906842624"},
	} {
		_, err := host.New(host.Config{Model: scripted.NewTurns(), Middleware: []host.Middleware{test.config}})
		require.ErrorContains(t, err, test.err)
	}
	decoded := builtin.FileSearch{}
	require.NoError(t, strictyaml.Decode("agenthost.yaml", []byte("{root_path: data, max_file_size_mb: 3}"), &decoded))
	require.Equal(t, builtin.FileSearch{RootPath: "data", MaxFileSizeMB: 3}, decoded)
	require.Equal(t, builtin.FileSearch{RootPath: "/m/data", MaxFileSizeMB: 3},
		decoded.ResolvePaths(func(path string) string { return "/m/" + path }))
	require.Equal(t, "file_search", decoded.Name())
}
