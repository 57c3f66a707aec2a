package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// startPlugins are the plugins of the starts that are measured.
var startPlugins = []string{"redact", "guard", "loopguard"}

// startManifest writes a manifest with the model and plugins of this repository, and returns its path.
func startManifest(tb testing.TB, model string, plugins ...string) string {
	tb.Helper()
	text := "apiVersion: agenthost/v1\nmodel: " + model + "\nmiddleware:\n  - patch_tool_calls\n"
	for _, plugin := range plugins {
		path, err := filepath.Abs(filepath.Join("..", "..", "plugins", plugin, plugin+".wasm"))
		require.NoError(tb, err)
		text += fmt.Sprintf("  - plugin: %q\n", path)
	}
	path := filepath.Join(tb.TempDir(), "agenthost.yaml")
	require.NoError(tb, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// coldStarts starts the built command with a model that notes when it gets the first request.
type coldStarts struct {
	testing.TB

	command string
	model   string // as in a manifest
	arrived chan time.Time
}

func newColdStarts(tb testing.TB) *coldStarts {
	tb.Helper()
	c := &coldStarts{TB: tb, command: filepath.Join(tb.TempDir(), "agenthost"), arrived: make(chan time.Time, 1)}
	said, err := exec.CommandContext(tb.Context(), "go", "build", "-tags", "grpcnotrace", "-o", c.command, ".").CombinedOutput()
	require.NoError(tb, err, "%s", said)
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		select {
		case c.arrived <- time.Now():
		default:
		}
		_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"hello"},"finish_reason":"stop"}]}`)
	}))
	tb.Cleanup(provider.Close)
	c.model = fmt.Sprintf("{provider: openai, name: m, base_url: %q}", provider.URL)
	return c
}

// run returns the arguments of the command that performs a run.
func (c *coldStarts) run(manifest string) []string {
	return []string{c.command, "run", "--quiet", "-f", manifest, "hi"}
}

// start performs a run in a process of its own, and returns how long it took to its first request, and what the process used.
func (c *coldStarts) start(manifest string) (first time.Duration, usage *syscall.Rusage) {
	c.Helper()
	args := c.run(manifest)
	process := exec.CommandContext(c.Context(), args[0], args[1:]...)
	begun := time.Now()
	said, err := process.CombinedOutput()
	require.NoError(c, err, "%s", said)
	require.Equal(c, "hello\n", string(said))
	usage, ok := process.ProcessState.SysUsage().(*syscall.Rusage)
	require.True(c, ok)
	return (<-c.arrived).Sub(begun), usage
}

// BenchmarkColdStart starts the command as a process, and measures the time until the model gets its first request and the
// peak memory of the process. Compiled plugins are in the cache.
func BenchmarkColdStart(b *testing.B) {
	c := newColdStarts(b)
	built, err := os.Stat(c.command)
	require.NoError(b, err)
	for _, plugins := range [][]string{nil, startPlugins} {
		b.Run(fmt.Sprintf("%d plugins", len(plugins)), func(b *testing.B) {
			manifest := startManifest(b, c.model, plugins...)
			c.start(manifest) // fills the cache
			var first time.Duration
			var peak int64
			for b.Loop() {
				f, used := c.start(manifest)
				first, peak = first+f, max(peak, used.Maxrss)
			}
			b.ReportMetric(float64(first.Microseconds())/1000/float64(b.N), "ms/first-request")
			b.ReportMetric(float64(peak)/1024, "MiB/peak")
			b.ReportMetric(float64(built.Size())/1e6, "MB/command")
		})
	}
}
