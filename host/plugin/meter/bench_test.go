package meter_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/plugin/anatomy"
	"github.com/agenthost/agenthost/internal/toolchain"
	"github.com/agenthost/agenthost/sdk/js"
	"github.com/agenthost/agenthost/sdk/python"
)

var errOutOfFuel = errors.New("out of fuel")

// workload is something that a guest does, with a meter or without.
type workload struct {
	name  string
	code  []byte
	text  []byte // the script that an interpreter reads; nil: the code is not one
	setup func(t testing.TB, g *guest)
	run   func(t testing.TB, g *guest) int64
}

// realWorkloads returns guests of three compilers that process about a megabyte each.
func realWorkloads(t testing.TB) []workload {
	t.Helper()
	config, err := wire.MapOf(map[string]any{
		"strategy": "redact", "apply_to_input": true, "apply_to_tool_results": true,
		"types": []any{"email", "credit_card", "ip", "api_key", "private_key"},
	})
	require.NoError(t, err)
	hook := func(t testing.TB, g *guest) int64 { t.Helper(); return g.call(t, "before_model", g.input) }
	return []workload{
		{"standard Go decodes 1,000 messages", goGuest(t), nil, func(t testing.TB, g *guest) {
			t.Helper()
			g.call(t, abi.ExportConfigure, []byte{0x80})
			g.input = messages(t, 1000, 300)
		}, hook},
		{"TinyGo redacts 1 MB", read(t, "../../../plugins/redact/redact.wasm"), nil, func(t testing.TB, g *guest) {
			t.Helper()
			g.call(t, abi.ExportConfigure, config.Raw())
			g.input = messages(t, 1, 1<<20)
		}, hook},
		{"Rust scans 1 MB", read(t, "testdata/scan.rust.wasm"), nil, func(t testing.TB, g *guest) {
			t.Helper()
			_, err := g.module.ExportedFunction("fill").Call(context.Background())
			require.NoError(t, err)
		}, func(t testing.TB, g *guest) int64 { t.Helper(); return g.call(t, "scan", nil) }},
	}
}

// scriptWorkloads returns interpreters whose scripts read the texts of messages.
func scriptWorkloads(t testing.TB) []workload {
	t.Helper()
	var all []workload
	for _, s := range []struct{ language, file string }{{"JavaScript", "bench.js"}, {"Python", "bench.py"}} {
		text := string(read(t, "../testdata/"+s.file))
		module, err := js.Plugin(js.Script{File: s.file, Source: text})
		if s.language == "Python" {
			module, err = python.Plugin(python.Script{File: s.file, Files: map[string]string{s.file: text}})
		}
		require.NoError(t, err)
		code, script, err := anatomy.CutScript(module)
		require.NoError(t, err)
		all = append(all, workload{s.language + " reads 100 messages", code, script, func(t testing.TB, g *guest) {
			t.Helper()
			g.call(t, abi.ExportConfigure, []byte{0x80})
			g.input = messages(t, 100, 300)
		}, func(t testing.TB, g *guest) int64 { t.Helper(); return g.call(t, "before_model", g.input) }})
	}
	return all
}

// tightWorkloads returns loops that do next to nothing.
func tightWorkloads() []workload {
	run := func(n int) func(testing.TB, *guest) int64 {
		return func(t testing.TB, g *guest) int64 { t.Helper(); return g.call(t, "run", make([]byte, n)) }
	}
	nothing := func(testing.TB, *guest) {}
	return []workload{
		{"counting loop", counting(), nil, nothing, run(100_000)},
		{"byte hash loop", hashing(), nil, nothing, run(100_000)},
		{"recursion", fib(), nil, nothing, run(20)},
	}
}

// BenchmarkOverhead compares guests with and without a meter, in turns. The reported ratio is that of the fastest
// calls.
func BenchmarkOverhead(b *testing.B) {
	for _, w := range slices.Concat(realWorkloads(b), scriptWorkloads(b), tightWorkloads()) {
		b.Run(w.name, func(b *testing.B) {
			plain, with := start(b, w.code, w.text...), start(b, metered(b, w.code), w.text...)
			w.setup(b, plain)
			w.setup(b, with)
			best := [2]time.Duration{time.Hour, time.Hour}
			var fuel int64
			for b.Loop() {
				for n, g := range []*guest{plain, with} {
					start := time.Now()
					fuel = w.run(b, g)
					best[n] = min(best[n], time.Since(start))
				}
			}
			b.ReportMetric(float64(best[1])/float64(best[0]), "ratio")
			b.ReportMetric(best[0].Seconds()*1e3, "ms-plain")
			b.ReportMetric(float64(fuel)/best[1].Seconds()/1e6, "Mfuel/s")
		})
	}
}

// messages returns the input of a hook with n messages whose texts have size bytes each.
func messages(t testing.TB, n, size int) []byte {
	t.Helper()
	items := make([]abi.Message, n)
	for i := range items {
		text := strings.Repeat("lorem ipsum dolor ", size/18)
		items[i] = abi.Message{Role: abi.RoleHuman, ID: fmt.Sprint("m", i), Content: abi.Text(text)}
	}
	input := abi.HookInput{Run: "r", Step: "s", Messages: &abi.View{Total: uint64(n), Items: items}}
	b, err := input.MarshalMsg(nil)
	require.NoError(t, err)
	return b
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	code, err := os.ReadFile(filepath.FromSlash(path))
	require.NoError(t, err)
	return code
}

// goGuest builds the guest of the plugin benchmarks with standard Go.
func goGuest(t testing.TB) []byte {
	t.Helper()
	build := toolchain.Build{Dir: "../testdata/guests/bench", Output: filepath.Join(t.TempDir(), "guest.wasm"), Debug: true, Log: t.Output()}
	module, err := build.Run(t.Context(), toolchain.Go)
	require.NoError(t, err)
	return read(t, module)
}
