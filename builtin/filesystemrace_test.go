//go:build unix

package builtin_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// swapLinks replaces, again and again, the directory /open by a link to /secrets, and the file /public/key by a link to the key.
// It returns a function that ends this.
func swapLinks(t *testing.T, dir string) (end func()) {
	t.Helper()
	in := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, os.Symlink("secrets", in(".link")))
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-stop:
				return
			default:
			}
			_ = os.Rename(in("open"), in(".open"))
			_ = os.Rename(in(".link"), in("open"))
			_ = os.Symlink("../secrets/key", in("public/.link"))
			_ = os.Rename(in("public/.link"), in("public/key"))
			_ = os.Rename(in("open"), in(".link"))
			_ = os.Rename(in(".open"), in("open"))
			_ = os.WriteFile(in("public/.key"), []byte("open"), 0o600)
			_ = os.Rename(in("public/.key"), in("public/key"))
		}
	}()
	return func() { close(stop); <-ended }
}

// A link that appears between the check of the rules and the use of a path is not followed either.
func TestFilesystemPermissionsHoldWhileLinksAreSwapped(t *testing.T) {
	t.Parallel()
	dir := directory(t, files{"/secrets/key": "S3CRET", "/secrets/hidden": "S3CRET", "/open/key": "open", "/public/key": "open"})
	end := swapLinks(t, dir)
	calls := []abi.ToolCall{
		abi.Call("", "read_file", args{"file_path": "/open/key"}), abi.Call("", "read_file", args{"file_path": "/public/key"}),
		abi.Call("", "read_file", args{"file_path": "/open/hidden"}),
		abi.Call("", "write_file", args{"file_path": "/open/new", "content": "x"}),
		abi.Call("", "edit_file", args{"file_path": "/open/key", "old_string": "S3", "new_string": "x"}),
		abi.Call("", "ls", args{"path": "/open"}), abi.Call("", "glob", args{"pattern": "*", "path": "/open"}),
		abi.Call("", "grep", args{"pattern": "S3C", "path": "/open", "output_mode": "content"}),
		abi.Call("", "grep", args{"pattern": "S3C", "output_mode": "content"}),
		abi.Call("", "delete", args{"file_path": "/open/hidden"}),
	}
	turns := make([]scripted.Turn, 300)
	for i := range turns {
		turn := make([]abi.ToolCall, len(calls))
		for k := range calls {
			turn[k] = calls[k]
			turn[k].ID = string(rune('a' + k))
		}
		turns[i] = scripted.CallTools(turn...)
	}
	agent, err := host.New(host.Config{
		Model:      &scripted.Turns{Script: turns, AfterEnd: scripted.EndEmpty},
		Middleware: []host.Middleware{builtin.Filesystem{Root: dir, Permissions: []builtin.FilePermission{rule("deny", "/secrets/**")}}},
	})
	require.NoError(t, err)
	result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})
	end()
	require.NoError(t, err)
	require.NoError(t, agent.Close())
	for _, answer := range toolAnswers(result) {
		require.NotContains(t, answer, "S3CRET")
		require.NotRegexp(t, `"/open/hidden"`, answer, "names are secret, too")
	}
	secrets := filesIn(t, filepath.Join(dir, "secrets"))
	require.Equal(t, files{"/key": "S3CRET", "/hidden": "S3CRET"}, secrets, "nothing was written, edited or removed")
}

// A search finds nothing behind a link, neither one that is there before nor one that appears.
func TestFileSearchFollowsNoLinks(t *testing.T) {
	t.Parallel()
	dir := directory(t, files{"/secrets/key": "S3CRET", "/open/key": "open", "/public/key": "open"})
	require.NoError(t, os.Symlink("secrets", filepath.Join(dir, "link")))
	require.NoError(t, os.Symlink("secrets/key", filepath.Join(dir, "linked")))
	for _, path := range []string{"/link", "/link/key", "/linked"} {
		require.Equal(t, []string{"No matches found"}, searchIn(t, builtin.FileSearch{RootPath: dir}, nil, one("grep_search", args{"pattern": "S3C", "path": path})))
		require.Equal(t, []string{"No files found"}, searchIn(t, builtin.FileSearch{RootPath: dir}, nil, one("glob_search", args{"pattern": "*", "path": path})))
	}
	end := swapLinks(t, dir)
	turns := make([]scripted.Turn, 1000)
	for i := range turns {
		turns[i] = one("grep_search", args{"pattern": "S3C", "path": "/open"})
	}
	answers := searchIn(t, builtin.FileSearch{RootPath: dir}, nil, turns...)
	end()
	for _, answer := range answers {
		require.Equal(t, "No matches found", answer)
	}
}
