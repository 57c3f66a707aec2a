//go:build linux

package builtin_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/backend"
	"github.com/agenthost/agenthost/host/backend/backendtest"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// inBox is a sandbox that is a directory of this machine.
func inBox(dir string, shell ...string) builtin.ShellSandbox {
	return builtin.ShellSandbox{
		RootDir: dir, ShellCommand: shell,
		ExecutionPolicy: builtin.ShellPolicy{Type: "host", CommandTimeout: 60, StartupTimeout: 60, TerminationTimeout: 60},
	}
}

// openBox opens a sandbox and returns its files.
func openBox(t *testing.T, box builtin.ShellSandbox) backend.Files {
	t.Helper()
	opened, err := box.Open(t.Context(), host.Env{}, backend.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, opened.Close()) })
	view, err := opened.At(nil, "")
	require.NoError(t, err)
	return view
}

func TestShellSandbox(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"sh", "bash", "busybox"} {
		file, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		shell := map[bool][]string{true: {file, "sh"}, false: {file}}[name == "busybox"]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			backendtest.Run(t, func(t *testing.T, files backendtest.Content, fn func(ctx context.Context, files backend.Files)) backendtest.Content {
				t.Helper()
				dir := t.TempDir()
				for name, text := range files {
					require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
					require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
				}
				fn(t.Context(), openBox(t, inBox(dir, shell...)))
				out := backendtest.Content{}
				require.NoError(t, filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
					if err != nil || entry.IsDir() {
						return err
					}
					text, err := os.ReadFile(file)
					out[strings.TrimPrefix(file, dir)] = string(text)
					return err
				}))
				return out
			})
		})
	}
}

// A shell that has ended, or was ended, is replaced.
func TestShellSandboxSurvives(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files := openBox(t, inBox(dir))
	require.NoError(t, files.Write(t.Context(), "/a", []byte("text")))

	ctx, cancel := context.WithCancelCause(t.Context())
	reason := errors.New("enough")
	cancel(reason)
	_, err := files.Stat(ctx, "/a")
	require.ErrorIs(t, err, reason)

	ends := filepath.Join(t.TempDir(), "ends") // a shell that ends instead of its second command
	require.NoError(t, os.WriteFile(ends, []byte("#!/bin/sh\nread -r line; eval \"$line\"; read -r line; eval \"$line\"; read -r line; echo bye; exit 9\n"), 0o755))
	_, err = openBox(t, inBox(dir, ends)).Stat(t.Context(), "/a")
	require.ErrorContains(t, err, "sandbox: the shell has ended with exit code 9 and wrote \"bye\"")

	broken := inBox(dir, "/bin/false")
	_, err = openBox(t, broken).Stat(t.Context(), "/a")
	require.ErrorContains(t, err, "ended with exit code 1 before it answered")

	var group sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		group.Go(func() { _, errs[i] = backend.ReadFile(t.Context(), files, "/a", 10) })
	}
	group.Wait()
	require.NoError(t, errors.Join(errs...))
}

func TestShellSandboxIsClosed(t *testing.T) {
	t.Parallel()
	opened, err := inBox(t.TempDir()).Open(t.Context(), host.Env{}, backend.Options{})
	require.NoError(t, err)
	view, err := opened.At(nil, "")
	require.NoError(t, err)
	require.NoError(t, view.Write(t.Context(), "/a", nil))
	require.NoError(t, opened.Close())
	require.ErrorContains(t, view.Write(t.Context(), "/a", nil), "the agent is closed")
}

// A shell that nobody uses ends, and the next operation starts another.
func TestShellSandboxEndsIdleShells(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	shell := filepath.Join(t.TempDir(), "shell")
	require.NoError(t, os.WriteFile(shell, []byte("#!/bin/sh\n/bin/sh\necho >>"+dir+"/ended\n"), 0o755))
	box := inBox(dir, shell)
	box.IdleTimeout = 0.001
	files := openBox(t, box)
	for n := 1; n <= 2; n++ {
		require.NoError(t, files.Write(t.Context(), "/a", nil))
		require.Eventually(t, func() bool {
			text, _ := os.ReadFile(filepath.Join(dir, "ended"))
			return len(text) == n
		}, patience, time.Millisecond)
	}
}

// An operation that takes too long ends, and the next one works.
func TestShellSandboxTimesOut(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	stuck := filepath.Join(dir, "stuck")
	tools := filepath.Join(dir, "tools")
	require.NoError(t, os.Mkdir(tools, 0o755))
	script := fmt.Sprintf("#!/bin/sh\nif [ -e %s ]; then sleep 100000; fi\nexec /usr/bin/env -i /bin/sh -c 'exec stat \"$@\"' sh \"$@\"\n", stuck)
	require.NoError(t, os.WriteFile(filepath.Join(tools, "stat"), []byte(script), 0o755))
	box := inBox(dir)
	box.Env = builtin.ShellEnv{"PATH": tools + ":" + os.Getenv("PATH")}
	box.ExecutionPolicy.CommandTimeout = 1
	files := openBox(t, box)
	require.NoError(t, os.WriteFile(stuck, nil, 0o600))
	_, err := files.Stat(t.Context(), "/stuck")
	require.EqualError(t, err, "'/stuck' cannot be used: sandbox: the command timed out")
	require.NoError(t, os.Remove(stuck))
	_, err = files.Stat(t.Context(), "/tools")
	require.NoError(t, err)
}

func TestShellSandboxRefuses(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*builtin.ShellSandbox){
		"sandbox: execution_policy is missing":                               func(s *builtin.ShellSandbox) { s.ExecutionPolicy = builtin.ShellPolicy{} },
		"sandbox: the root must be an absolute path":                         func(s *builtin.ShellSandbox) { s.RootDir = "w" },
		"max_output_lines and max_output_bytes are for the middleware shell": func(s *builtin.ShellSandbox) { s.ExecutionPolicy.MaxOutputBytes = new(1) },
		"sandbox: shell_command":                                             func(s *builtin.ShellSandbox) { s.ShellCommand = builtin.ShellCommands{"no-such-shell"} },
		`sandbox: env: "A=B" is not a valid name of a variable`:              func(s *builtin.ShellSandbox) { s.Env = builtin.ShellEnv{"A=B": ""} },
		"command: {workspace} is for the middleware shell; write the directory": func(s *builtin.ShellSandbox) {
			s.ExecutionPolicy = builtin.ShellPolicy{Type: "command", Command: []string{"sh", "{workspace}"}}
		},
	} {
		box := inBox("/")
		change(&box)
		_, err := box.Open(t.Context(), host.Env{}, backend.Options{})
		require.ErrorContains(t, err, want)
	}
}

// The tools of a filesystem work in the sandbox in which the model runs commands, here one that a command enters.
func TestShellSandboxInAManifest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fsys := &builtin.Filesystem{}
	require.NoError(t, decodeInto(fmt.Sprintf(
		"{backend: {type: sandbox, root_dir: %s, execution_policy: {type: command, command: [/usr/bin/env, -u, HOME]}}}", dir), fsys))
	shell := onHost(func(s *builtin.Shell) { s.WorkspaceRoot = dir })
	result := runAgent(t, []scripted.Turn{
		scripted.CallTools(abi.Call("1", "write_file", args{"file_path": "/src/it's.txt", "content": "one\ntwo\n"})),
		scripted.CallTools(abi.Call("2", "shell", args{"command": `sed -i s/two/three/ "src/it's.txt"; printf '\000' >binary`})),
		scripted.CallTools(abi.Call("3", "read_file", args{"file_path": "/src/it's.txt"})),
		scripted.CallTools(abi.Call("4", "grep", args{"pattern": "three", "output_mode": "content"})),
		scripted.CallTools(abi.Call("5", "edit_file", args{"file_path": "/src/it's.txt", "old_string": "three", "new_string": "3"})),
		scripted.CallTools(abi.Call("6", "glob", args{"pattern": "**/*.txt"})),
		scripted.CallTools(abi.Call("7", "ls", args{"path": "/"})),
		scripted.CallTools(abi.Call("8", "delete", args{"file_path": "/src"})),
		scripted.Say("done"),
	}, fsys, shell)
	require.Equal(t, []string{
		"Updated file /src/it's.txt", "<no output>", "@@ lines 1-2 of 2 @@\none\nthree", "/src/it's.txt:\n  2: three",
		"Successfully replaced 1 instance(s) of the string in '/src/it's.txt'", `["/src/it's.txt"]`, `["/binary","/src/"]`, "Deleted /src",
	}, result)
}

// runAgent runs an agent and returns the answers of its tools.
func runAgent(t *testing.T, turns []scripted.Turn, middleware ...host.Middleware) []string {
	t.Helper()
	agent := shellAgent(t, turns, host.Config{}, middleware...)
	result, err := agent.Run(t.Context(), host.Input{Messages: []abi.Message{abi.Human("go")}})
	require.NoError(t, err)
	var answers []string
	for _, m := range result.Messages.All() {
		if m.Role == abi.RoleTool {
			answers = append(answers, m.Content.Text())
		}
	}
	return answers
}
