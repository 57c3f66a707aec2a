package plugin

import (
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
	"github.com/agenthost/agenthost/internal/wasmbin"
	"github.com/agenthost/agenthost/sdk/js"
	"github.com/agenthost/agenthost/sdk/python"
)

// TestLaterInstancesStartFromAnImage uses a guest whose memory grows when it is initialized, as that of an interpreter does.
func TestLaterInstancesStartFromAnImage(t *testing.T) { //nolint:paralleltest // it looks at the mappings of the process
	const mark = 5 << 20
	guest := func() *guestkit.Module {
		g := guestkit.Fine()
		return g.Add(wasmbin.Function{Name: abi.Initialize, Body: guestkit.Seq(guestkit.I32(80), guestkit.Grow, guestkit.Drop, guestkit.Poke(mark, 7))})
	}
	starting := guest()
	starting.Start = starting.Next()
	starting.Add(wasmbin.Function{})
	for name, test := range map[string]struct {
		guest  *guestkit.Module
		mapped bool
	}{"mapped": {guest(), runtime.GOOS == "linux"}, "copied, since it has a start function": {starting, false}} {
		t.Run(name, func(t *testing.T) {
			engine, err := NewEngine(EngineConfig{})
			require.NoError(t, err)
			p, err := Wasm{ID: "grows", Bytes: test.guest.Bytes(), Isolation: IsolateCall, Engine: engine}.Load(t.Context(), env())
			require.NoError(t, err)
			require.True(t, p.image.configured)
			require.Equal(t, test.mapped, p.image.file != nil)
			made := make([]*instance, 2)
			for n := range made {
				made[n], err = p.newInstance(t.Context())
				require.NoError(t, err)
				require.LessOrEqual(t, made[n].used(), uint64(1), "it starts, but is not initialized again")
				require.Equal(t, test.mapped, made[n].memory.mapped != nil)
				require.EqualValues(t, 7, made[n].memory.bytes[mark])
			}
			first, second := made[0], made[1]
			first.memory.bytes[mark] = 8
			require.EqualValues(t, 7, second.memory.bytes[mark], "instances share nothing that they write")
			first.calls = 1
			require.True(t, first.ready())
			require.EqualValues(t, 7, first.memory.bytes[mark])

			for range 3 { // within the mapping, and beyond it
				second.memory.bytes[len(second.memory.bytes)-1] = 9
				last := len(second.memory.bytes) - 1
				_, ok := second.module.Memory().Grow(16)
				require.True(t, ok)
				require.EqualValues(t, 9, second.memory.bytes[last])
				require.Zero(t, second.memory.bytes[len(second.memory.bytes)-1])
			}
			second.calls = 1
			require.False(t, second.ready(), "memory cannot shrink")
			for _, i := range made {
				require.NoError(t, i.close())
			}
			require.NoError(t, p.Close())
			used, _ := engine.Memory()
			require.Zero(t, used)
			require.NoError(t, engine.Close())
			if maps, err := os.ReadFile("/proc/self/maps"); err == nil {
				require.NotContains(t, string(maps), "agenthost-plugin")
			}
		})
	}
}

// TestInstancesOfAScript: the script is evaluated for the first instance alone.
func TestInstancesOfAScript(t *testing.T) {
	t.Parallel()
	for name, code := range BenchGuests(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := Wasm{ID: "bench", Bytes: code, Limits: Limits{Deadline: time.Minute}}.Load(t.Context(), env())
			require.NoError(t, err)
			i, err := p.newInstance(t.Context())
			require.NoError(t, err)
			if p.source == nil {
				require.Nil(t, p.image, "without isolation, the mutable globals of a module are not exported for it")
			} else {
				require.Zero(t, i.used())
			}
			require.NoError(t, i.close())
			require.NoError(t, p.Close())
		})
	}
}

func env() host.Env { return host.Env{Name: "bench", Logger: slog.New(slog.DiscardHandler)} }

// BenchGuests returns the guest bench in each language whose module or script is committed.
func BenchGuests(tb testing.TB) map[string][]byte {
	tb.Helper()
	read := func(name string) []byte {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		require.NoError(tb, err)
		return text
	}
	inJS, err := js.Plugin(js.Script{File: "bench.js", Source: string(read("bench.js"))})
	require.NoError(tb, err)
	inPython, err := python.Plugin(python.Script{File: "bench.py", Files: map[string]string{"bench.py": string(read("bench.py"))}})
	require.NoError(tb, err)
	return map[string][]byte{"tinygo": read("bench.tinygo.wasm"), "rust": read("bench.rust.wasm"), "js": inJS, "python": inPython}
}

// BenchmarkInstance is one more instance of a plugin that is loaded: how long it takes to start, and how much memory it has.
func BenchmarkInstance(b *testing.B) {
	for name, code := range BenchGuests(b) {
		b.Run(name, func(b *testing.B) {
			w := Wasm{ID: "bench", Bytes: code, Limits: Limits{Deadline: time.Minute}}
			p, err := w.Load(b.Context(), env())
			require.NoError(b, err)
			b.ReportAllocs()
			for b.Loop() {
				i, err := p.newInstance(b.Context())
				require.NoError(b, err)
				require.NoError(b, i.close())
			}
			b.ReportMetric(float64(p.pool.measured()), "bytes")
			require.NoError(b, p.Close())
		})
	}
}
