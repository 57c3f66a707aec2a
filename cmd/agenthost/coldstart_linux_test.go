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

// BenchmarkColdStart starts the command as a process, and measures the time until the model gets its first request and the
// peak memory of the process. Compiled plugins are in the cache.
func BenchmarkColdStart(b *testing.B) {
	dir := b.TempDir()
	command := filepath.Join(dir, "agenthost")
	said, err := exec.CommandContext(b.Context(), "go", "build", "-o", command, ".").CombinedOutput()
	require.NoError(b, err, "%s", said)
	arrived := make(chan time.Time, 1)
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		arrived <- time.Now()
		_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"hello"},"finish_reason":"stop"}]}`)
	}))
	b.Cleanup(provider.Close)
	built, err := os.Stat(command)
	require.NoError(b, err)
	for _, plugins := range [][]string{nil, {"redact", "loopguard", "guard"}} {
		b.Run(fmt.Sprintf("%d plugins", len(plugins)), func(b *testing.B) {
			manifest := filepath.Join(b.TempDir(), "agenthost.yaml")
			text := fmt.Sprintf("apiVersion: agenthost/v1\nmodel: {provider: openai, name: m, base_url: %q}\nmiddleware:\n  - patch_tool_calls\n", provider.URL)
			for _, plugin := range plugins {
				path, err := filepath.Abs(filepath.Join("..", "..", "plugins", plugin, plugin+".wasm"))
				require.NoError(b, err)
				text += fmt.Sprintf("  - plugin: %q\n", path)
			}
			require.NoError(b, os.WriteFile(manifest, []byte(text), 0o600))
			start := func() (first time.Duration, peak int64) {
				process := exec.CommandContext(b.Context(), command, "run", "--quiet", "-f", manifest, "hi")
				begun := time.Now()
				said, err := process.CombinedOutput()
				require.NoError(b, err, "%s", said)
				require.Equal(b, "hello\n", string(said))
				usage, ok := process.ProcessState.SysUsage().(*syscall.Rusage)
				require.True(b, ok)
				return (<-arrived).Sub(begun), usage.Maxrss
			}
			start() // fills the cache
			var first time.Duration
			var peak int64
			for b.Loop() {
				f, p := start()
				first, peak = first+f, max(peak, p)
			}
			b.ReportMetric(float64(first.Microseconds())/1000/float64(b.N), "ms/first-request")
			b.ReportMetric(float64(peak)/1024, "MiB/peak")
			b.ReportMetric(float64(built.Size())/1e6, "MB/command")
		})
	}
}
