//go:build linux

package backend_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/backend"
	"github.com/agenthost/agenthost/host/backend/backendtest"
)

// process runs each script in a process of its own.
type process struct {
	shell []string
	path  string // PATH
}

func (p process) Execute(ctx context.Context, script string) (backend.Executed, error) {
	cmd := exec.CommandContext(ctx, p.shell[0], p.shell[1:]...)
	cmd.Env = []string{"PATH=" + p.path}
	cmd.Stdin = strings.NewReader(script)
	output, err := cmd.CombinedOutput()
	if _, ok := errors.AsType[*exec.ExitError](err); ok {
		err = nil
	}
	return backend.Executed{Output: string(output), ExitCode: cmd.ProcessState.ExitCode()}, err
}

// processes are the shells that this machine has. The one of busybox has busybox's tools.
func processes(t *testing.T) map[string]process {
	t.Helper()
	found := map[string]process{}
	for _, name := range []string{"sh", "bash", "dash"} {
		if file, err := exec.LookPath(name); err == nil {
			found[name] = process{[]string{file}, os.Getenv("PATH")}
		}
	}
	if file, err := exec.LookPath("busybox"); err == nil {
		dir := t.TempDir()
		require.NoError(t, exec.CommandContext(t.Context(), file, "--install", "-s", dir).Run())
		found["busybox"] = process{[]string{file, "sh"}, dir}
	}
	require.NotEmpty(t, found)
	return found
}

// eachProcess runs a test with each shell, and a directory.
func eachProcess(t *testing.T, test func(t *testing.T, shell process, dir string)) {
	t.Helper()
	for name, shell := range processes(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, shell, t.TempDir())
		})
	}
}

func sandbox(t *testing.T, executor backend.Executor, dir string, o backend.Options) backend.Files {
	t.Helper()
	opened, err := backend.Sandbox{Root: dir, Executor: executor}.Open(t.Context(), host.Env{}, o)
	require.NoError(t, err)
	return viewOf(t, opened)
}

func TestSandbox(t *testing.T) {
	t.Parallel()
	eachProcess(t, func(t *testing.T, shell process, _ string) {
		t.Helper()
		backendtest.Run(t, func(t *testing.T, files content, fn func(ctx context.Context, files backend.Files)) content {
			t.Helper()
			dir := t.TempDir()
			put(t, dir, files)
			fn(t.Context(), sandbox(t, shell, dir, backend.Options{}))
			return onDisk(t, dir)
		})
	})
}

// put writes files to the disk.
func put(t *testing.T, dir string, files content) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
}

// hostile are names that a careless script would misread.
var hostile = []string{
	"/-rf", "/-", "/--help", "/it's", `/a "b" c`, "/ lead and trail ", "/$(touch pwned)", "/`touch pwned`", "/$HOME", "/*", "/[a]", "/;exit 3",
	"/ü/日本.txt", "/#x", "/&", "/%s%n", "/-n/-e", "/ok", "/a=b", "/{x,y}", "/!",
}

func TestSandboxOfHostileNames(t *testing.T) {
	t.Parallel()
	eachProcess(t, func(t *testing.T, shell process, dir string) {
		t.Helper()
		ctx := t.Context()
		files := sandbox(t, shell, dir, backend.Options{})
		want := content{}
		for _, name := range hostile {
			require.NoError(t, files.Write(ctx, name, []byte("of "+name)), name)
			text, err := backend.ReadFile(ctx, files, name, 100)
			require.NoError(t, err)
			require.Equal(t, "of "+name, string(text))
			want[name] = "of " + name
		}
		require.Equal(t, want, onDisk(t, dir))
		var seen []string
		_, err := files.Walk(ctx, "/", func(info backend.Info) bool { seen = append(seen, info.Path); return true })
		require.NoError(t, err)
		require.ElementsMatch(t, hostile, seen)
		infos, err := files.List(ctx, "/")
		require.NoError(t, err)
		require.Len(t, infos, len(hostile))
		for _, name := range hostile {
			_, err := files.Edit(ctx, name, backend.Edit{Old: "of", New: "'from'"})
			require.NoError(t, err)
			require.NoError(t, files.Remove(ctx, name))
		}
		require.Empty(t, onDisk(t, dir))
	})
}

// A name with a line break is not a path, and does not look like two.
func TestSandboxLeavesOutNamesThatNoPathHas(t *testing.T) {
	t.Parallel()
	eachProcess(t, func(t *testing.T, shell process, dir string) {
		t.Helper()
		put(t, dir, content{"/a\n81a4 1 1 .\x2fforged": "needle", "/dir\nb/c": "needle", `/back\slash`: "needle", "/\xff": "needle", "/good": "needle"})
		files := sandbox(t, shell, dir, backend.Options{})
		require.Equal(t, "/good", list(t.Context(), t, files, "/"))
		require.Equal(t, "/good", walk(t.Context(), t, files, "/"))
		require.Equal(t, "/good", search(t, files, "/", "needle"))
	})
}

func search(t *testing.T, files backend.Files, dir, text string) string {
	t.Helper()
	var names []string
	stopped, err := backend.Search(t.Context(), files, dir, text, func(info backend.Info) bool {
		names = append(names, info.Path)
		return true
	})
	require.NoError(t, err)
	require.False(t, stopped)
	return strings.Join(names, " ")
}

func TestSandboxSearches(t *testing.T) {
	t.Parallel()
	eachProcess(t, func(t *testing.T, shell process, dir string) {
		t.Helper()
		put(t, dir, content{
			"/a": "x\nit's -e $HOME\n", "/b/c": "it's -e", "/b/d": "its", "/big": strings.Repeat("a", backend.MaxFile) + "\nit's", "/e": "- it's\r\n",
		})
		files := sandbox(t, shell, dir, backend.Options{})
		require.Equal(t, "/a /b/c /e", search(t, files, "/", "it's"))
		require.Equal(t, "/a", search(t, files, "/", "-e $HOME"))
		require.Equal(t, "/b/c", search(t, files, "/b", "it's"))
		require.Equal(t, "/b/d", search(t, files, "/b/d", "it's"), "a file itself is not looked into")
		require.Empty(t, search(t, files, "/", "[a-z]"), "the text is not a pattern")
		require.Equal(t, "/a /b/c /b/d /big /e", search(t, files, "/", strings.Repeat("a", 1<<17)), "too long for an argument")
		tree := viewOf(t, open(t, backend.Composite{
			Default: newStore(), Routes: map[string]backend.Backend{"/box": backend.Sandbox{Root: dir, Executor: shell}},
		}, host.Env{}))
		require.NoError(t, tree.Write(t.Context(), "/stored", nil))
		require.Equal(t, "/box/a /box/b/c /box/e /stored", search(t, tree, "/", "it's"), "a store leaves nothing out")
	})
}

func TestSandboxOfBinaryAndLargeFiles(t *testing.T) {
	t.Parallel()
	eachProcess(t, func(t *testing.T, shell process, dir string) {
		t.Helper()
		ctx := t.Context()
		files := sandbox(t, shell, dir, backend.Options{})
		every := make([]byte, 3<<19)
		for i := range every {
			every[i] = byte(i * i >> 3)
		}
		for _, content := range [][]byte{every, every[:1<<20], every[:1<<20+1], []byte("\n"), []byte("\n\nok "), {0}} {
			require.NoError(t, files.Write(ctx, "/f", content))
			text, err := backend.ReadFile(ctx, files, "/f", backend.MaxFile)
			require.NoError(t, err)
			require.True(t, bytes.Equal(content, text))
		}
		_, err := files.Edit(ctx, "/f", backend.Edit{Old: "a", New: "b"})
		require.True(t, backend.Is(err, backend.Binary))
		require.NoError(t, os.Truncate(filepath.Join(dir, "f"), 40<<20))
		_, err = backend.ReadFile(ctx, files, "/f", backend.MaxFile)
		require.True(t, backend.Is(err, backend.TooLarge))
	})
}

// Links that lead outside are not followed, and nothing is written through links.
func TestSandboxLinks(t *testing.T) {
	t.Parallel()
	eachProcess(t, func(t *testing.T, shell process, dir string) {
		t.Helper()
		ctx := t.Context()
		secret := filepath.Join(t.TempDir(), "secret")
		require.NoError(t, os.WriteFile(secret, []byte("secret"), 0o600))
		put(t, dir, content{"/dir/file": "text"})
		for name, target := range map[string]string{
			"absolute": secret, "up": "..", "dir/up": "../..", "inside": "dir/file", "to": "dir", "dangling": "nowhere", "loop": "loop", "etc": "/etc", "self": ".",
		} {
			require.NoError(t, os.Symlink(target, filepath.Join(dir, filepath.FromSlash(name))))
		}
		files := sandbox(t, shell, dir, backend.Options{})
		for _, name := range []string{"/absolute", "/dir/up/secret", "/etc/passwd", "/up", "/up/x"} {
			_, _, err := files.Open(ctx, name)
			require.EqualError(t, err, "Path traversal not allowed: "+name)
			_, err = files.Stat(ctx, name)
			require.True(t, backend.Is(err, backend.Outside), name)
			require.Error(t, files.Write(ctx, name, []byte("overwritten")))
			require.Error(t, files.Write(ctx, name+"/x", []byte("overwritten")))
		}
		for _, name := range []string{"/absolute", "/inside", "/dangling", "/loop"} {
			require.True(t, backend.Is(files.Write(ctx, name, []byte("x")), backend.IsLink), name)
		}
		require.True(t, backend.Is(files.Remove(ctx, "/etc/passwd"), backend.Outside))
		for _, name := range []string{"/inside", "/to/file", "/self/dir/file"} {
			text, err := backend.ReadFile(ctx, files, name, 100)
			require.NoError(t, err)
			require.Equal(t, "text", string(text))
		}
		for _, name := range []string{"/loop", "/loop/x", "/dangling", "/dangling/x"} {
			_, err := files.Stat(ctx, name)
			require.True(t, backend.Is(err, backend.NotFound), "%s: %v", name, err)
		}
		require.Equal(t, "/dir/ /inside /self/ /to/", list(ctx, t, files, "/"))
		require.Equal(t, "/dir/file", walk(ctx, t, files, "/"))
		require.Equal(t, "/to/file", walk(ctx, t, files, "/to"))
		require.NoError(t, files.Remove(ctx, "/to"), "the link goes, not what it leads to")
		require.Equal(t, content{"/dir/file": "text"}, onDisk(t, dir))

		strict := sandbox(t, shell, dir, backend.Options{RefuseLinks: true})
		for _, name := range []string{"/inside", "/absolute", "/self/dir/file", "/dangling", "/up/x"} {
			_, err := strict.Stat(ctx, name)
			require.True(t, backend.Is(err, backend.Linked), name)
			require.True(t, backend.Is(strict.Write(ctx, name, nil), backend.Linked), name)
		}
		require.Equal(t, "/dir/", list(ctx, t, strict, "/"))
		text, err := os.ReadFile(secret)
		require.NoError(t, err)
		require.Equal(t, "secret", string(text))
	})
}

func TestSandboxOfWhatIsNoFile(t *testing.T) {
	t.Parallel()
	eachProcess(t, func(t *testing.T, shell process, dir string) {
		t.Helper()
		ctx := t.Context()
		files := sandbox(t, shell, dir, backend.Options{})
		require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
		_, _, err := files.Open(ctx, "/pipe")
		require.True(t, backend.Is(err, backend.NotRegular))
		require.True(t, backend.Is(files.Write(ctx, "/pipe", nil), backend.NotRegular))
		_, err = files.List(ctx, "/pipe")
		require.True(t, backend.Is(err, backend.NotDir))
		require.True(t, backend.Is(files.Write(ctx, "/pipe/x", nil), backend.NotDir))
		require.Empty(t, list(ctx, t, files, "/"))
		require.Empty(t, walk(ctx, t, files, "/"))
		err = files.Write(ctx, "/"+strings.Repeat("x", 300), nil)
		require.True(t, backend.Is(err, backend.BadPath))

		require.NoError(t, files.Write(ctx, "/f", []byte("a")))
		info, err := os.Stat(filepath.Join(dir, "f"))
		require.NoError(t, err)
		require.EqualValues(t, 0o644, info.Mode().Perm())
		require.NoError(t, os.Chmod(filepath.Join(dir, "f"), 0o751))
		require.NoError(t, files.Write(ctx, "/f", []byte("b")))
		info, err = os.Stat(filepath.Join(dir, "f"))
		require.NoError(t, err)
		require.EqualValues(t, 0o751, info.Mode().Perm(), "permissions stay")
	})
}

// answers is a sandbox that answers what it likes.
type answers struct {
	output string
	err    error
}

func (a answers) Execute(context.Context, string) (backend.Executed, error) {
	return backend.Executed{Output: a.output, ExitCode: 7}, a.err
}

func TestSandboxThatLies(t *testing.T) {
	t.Parallel()
	packed := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	for output, want := range map[string]string{
		"":                                             "the sandbox has answered exit code 7 and \"\"",
		"[stderr] base64: not found":                   `"[stderr] base64: not found"`,
		packed("no end"):                               "the sandbox has answered exit code 7",
		packed("41ed 1 1 .\n"):                         "the answer of the sandbox is incomplete",
		packed("\nroot "):                              "the sandbox has no directory /box",
		packed("\nfailed no \xff space"):               `the sandbox says "no � space"`,
		packed("\nok "):                                "in a way that is not understood",
		packed("zz 1 1 .\n\nok "):                      "in a way that is not understood",
		packed("81a4 -1 1 .\n\nok "):                   "in a way that is not understood",
		packed("81a4 1 x .\n\nok "):                    "in a way that is not understood",
		packed("81a4 1 1 ./x\n\nok "):                  "",
		packed("81a4 99999999999999999999 1 .\n\nok "): "in a way that is not understood",
	} {
		files := sandbox(t, answers{output: output}, "/box", backend.Options{})
		_, err := files.Stat(t.Context(), "/f")
		if want == "" {
			require.NoError(t, err)
			continue
		}
		require.True(t, backend.Is(err, backend.Failed), output)
		require.ErrorContains(t, err, want)
	}
	lines := "41ed 1 1 .\n" + strings.Join([]string{
		"81a4 1 1 ./good", "81a4 1 1 ./good", "81a4 1 1 /etc/passwd", "81a4 1 1 ./../up", "81a4 1 1 ./a/../b", "81a4 1 1 ./", "81a4 1 1 .", "81a4 1 1", "x",
		"81a4 1 1 ./a\x01b", "41ed 1 1 ./dir", "11a4 1 1 ./pipe", "81a4 1 1 ./dir//x", "81a4 1 1 ./dir/deep", "81a4 1 1 ./cut",
	}, "\n") + "\nok "
	files := sandbox(t, answers{output: packed(lines)}, "/box", backend.Options{})
	require.Equal(t, "/top/dir/ /top/good", list(t.Context(), t, files, "/top"))
	require.Equal(t, "/top/dir/deep /top/good", walk(t.Context(), t, files, "/top"), "a line without its end is left out")
	_, _, err := sandbox(t, answers{output: packed(lines)}, "/box", backend.Options{}).Open(t.Context(), "/f")
	require.ErrorContains(t, err, "not understood", "a directory is not a file")

	broken := errors.New("no connection")
	_, err = sandbox(t, answers{err: broken}, "/box", backend.Options{}).Stat(t.Context(), "/f")
	require.ErrorIs(t, err, broken)
	require.EqualError(t, err, "'/f' cannot be used: sandbox: no connection")
}

func TestSandboxRefuses(t *testing.T) {
	t.Parallel()
	for want, box := range map[string]backend.Sandbox{
		"sandbox: the executor is missing":                     {Root: "/"},
		"sandbox: the root must be an absolute path":           {Root: "box", Executor: answers{}},
		"sandbox: the root must be an absolute path in the sa": {Root: "/a\nb", Executor: answers{}},
	} {
		_, err := box.Open(t.Context(), host.Env{}, backend.Options{})
		require.ErrorContains(t, err, want)
	}
}

func TestSandboxRootIsMissing(t *testing.T) {
	t.Parallel()
	eachProcess(t, func(t *testing.T, shell process, dir string) {
		t.Helper()
		files := sandbox(t, shell, filepath.Join(dir, "none"), backend.Options{})
		_, err := files.List(t.Context(), "/")
		require.ErrorContains(t, err, "the sandbox has no directory "+dir)
	})
}

func TestSandboxOfTheWholeSystem(t *testing.T) {
	t.Parallel()
	eachProcess(t, func(t *testing.T, shell process, dir string) {
		t.Helper()
		files := sandbox(t, shell, "/", backend.Options{})
		require.NoError(t, files.Write(t.Context(), dir+"/a", []byte("text")))
		require.Equal(t, dir+"/a", walk(t.Context(), t, files, dir))
		infos, err := files.List(t.Context(), "/")
		require.NoError(t, err)
		require.NotEmpty(t, infos)
		info, err := files.Stat(t.Context(), "/")
		require.NoError(t, err)
		require.True(t, info.Dir)
		if _, err := os.Stat("/proc/self"); err == nil {
			err = files.Write(t.Context(), "/proc/none/x", nil)
			require.True(t, backend.Is(err, backend.Failed))
			require.ErrorContains(t, err, `the sandbox says "mkdir: `)
		}
	})
}
