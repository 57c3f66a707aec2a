package builtin_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// A page of a million empty lines is cut in no more time than it takes to read.
func TestFilesystemReadsManyLines(t *testing.T) {
	t.Parallel()
	given := files{"/f": strings.Repeat("\n", 1_000_000) + "x"}
	result, _ := withFiles(t, fileTrees[0], builtin.Filesystem{}, given, one("read_file", args{"file_path": "/f", "limit": 1_000_000_000}))
	answer := toolAnswers(result)[0]
	require.LessOrEqual(t, len(answer), 80_000)
	require.Greater(t, len(answer), 79_900)
	require.Regexp(t, `^\[Output was truncated .*\]\n@@ lines 1-\d+ of 1000001 \| next offset \d+ \| truncated due to size @@\n`, answer)
}

// A file with a strange name neither hides the others nor looks like several.
func TestFilesWithStrangeNames(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("needs a disk that takes any name")
	}
	dir := directory(t, files{"/a.txt": "needle"})
	for _, name := range []string{"b\xff.txt", "c\n:1:.txt"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("needle"), 0o600))
	}
	list, lines := "[\"/a.txt\",\"/b\uFFFD.txt\",\"/c\\n:1:.txt\"]", "/a.txt\n/b\uFFFD.txt\n/c\uFFFD:1:.txt"
	for _, test := range []struct {
		middleware host.Middleware
		tool       string
		args       args
		want       string
	}{
		{builtin.Filesystem{Root: dir}, "ls", args{"path": "/"}, list},
		{builtin.Filesystem{Root: dir}, "glob", args{"pattern": "*"}, list},
		{builtin.Filesystem{Root: dir}, "grep", args{"pattern": "needle"}, lines},
		{builtin.Filesystem{Root: dir}, "grep", args{"pattern": "needle", "output_mode": "count"}, strings.ReplaceAll(lines, ".txt", ".txt: 1")},
		{builtin.FileSearch{RootPath: dir}, "glob_search", args{"pattern": "*"}, lines},
		{builtin.FileSearch{RootPath: dir}, "grep_search", args{"pattern": "needle"}, lines},
		{builtin.FileSearch{RootPath: dir}, "grep_search", args{"pattern": "needle", "output_mode": "count"}, strings.ReplaceAll(lines, ".txt", ".txt:1")},
		{
			builtin.FileSearch{RootPath: dir},
			"grep_search",
			args{"pattern": "needle", "output_mode": "content"},
			strings.ReplaceAll(lines, ".txt", ".txt:1:needle"),
		},
	} {
		result := runMiddleware(t, test.middleware, one(test.tool, test.args))
		require.Equal(t, []string{test.want}, toolAnswers(result), "%s %v", test.tool, test.args)
	}
}

func runMiddleware(t *testing.T, middleware host.Middleware, turns ...scripted.Turn) *host.Result {
	t.Helper()
	agent, err := host.New(host.Config{
		Model: &scripted.Turns{Script: turns, AfterEnd: scripted.EndEmpty}, Middleware: []host.Middleware{middleware},
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, agent.Close()) }()
	result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})
	require.NoError(t, err)
	return result
}
