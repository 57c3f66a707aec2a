package hostile_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/hostile"
)

// TestManyThatGrow runs thirty plugins that take all the memory that they can get at the same time, in an engine that has
// enough for only a few of them.
func TestManyThatGrow(t *testing.T) {
	t.Parallel()
	engine, err := plugin.NewEngine(plugin.EngineConfig{Memory: 48 << 20})
	require.NoError(t, err)
	var agents []*bundle
	for i := range 30 {
		b := newBundle(plugin.Wasm{ID: fmt.Sprint("p", i), Bytes: hostile.Greedy(), Engine: engine, Limits: plugin.Limits{Memory: 8 << 20, Deadline: time.Minute}})
		require.NoError(t, b.load())
		agents = append(agents, b)
	}
	var group sync.WaitGroup
	errs := make([]error, len(agents))
	for i, b := range agents {
		group.Go(func() { errs[i] = b.run(t).err })
	}
	group.Wait()
	served := 0
	for _, err := range errs {
		if err == nil {
			served++
			continue
		}
		fault, ok := errors.AsType[*plugin.Error](err)
		require.True(t, ok, "%v", err)
		require.Equal(t, plugin.KindMemory, fault.Kind, err)
	}
	require.Positive(t, served)
	used, limit := engine.Memory()
	require.LessOrEqual(t, used, limit)
	for _, b := range agents {
		b.close(t)
	}
	used, _ = engine.Memory()
	require.Zero(t, used)
	require.NoError(t, engine.Close())
}

// TestTablesAreCounted loads a plugin with the most tables that it may have, in an engine with just enough memory for
// the plugin's linear memory.
func TestTablesAreCounted(t *testing.T) {
	t.Parallel()
	at := slices.IndexFunc(guests(), func(g hostile.Guest) bool { return g.Name == "16 tables of 65536" })
	module := guests()[at].Module()
	for memory, fits := range map[int64]bool{6 << 20: false, 32 << 20: true} {
		engine, err := plugin.NewEngine(plugin.EngineConfig{Memory: memory})
		require.NoError(t, err)
		b := newBundle(plugin.Wasm{ID: "bad", Bytes: module, Engine: engine})
		err = b.load()
		if fits {
			require.NoError(t, err)
			used, _ := engine.Memory()
			require.Greater(t, used, int64(8<<20))
		} else {
			fault, ok := errors.AsType[*plugin.Error](err)
			require.True(t, ok, "%v", err)
			require.Equal(t, plugin.KindMemory, fault.Kind)
		}
		b.close(t)
		require.NoError(t, engine.Close())
	}
}

// TestRealPluginBesideHostileOnes runs a plugin of the repository in the same agent as guests that fail.
func TestRealPluginBesideHostileOnes(t *testing.T) {
	t.Parallel()
	engine, err := plugin.NewEngine(plugin.EngineConfig{})
	require.NoError(t, err)
	redact := plugin.Wasm{
		Path: filepath.FromSlash("../../../plugins/redact/redact.wasm"), Engine: engine,
	}
	wanted := []string{
		"loop", "recursion with large frames", "memory.grow by one page until it traps", "exit with 0", "array of 2^32-1",
		"result that overflows", "trap after next in wrap_tool_call", "storm of fd_write of a million overlapping pieces",
	}
	plugins := []plugin.Wasm{redact}
	for _, g := range guests() {
		if slices.Contains(wanted, g.Name) {
			id := fmt.Sprint("bad", len(plugins))
			plugins = append(plugins, plugin.Wasm{ID: id, Bytes: g.Module(), Limits: g.Limits, Engine: engine, OnFailure: plugin.Open})
		}
	}
	require.GreaterOrEqual(t, len(plugins), len(wanted))
	b := newBundle(plugins...)
	require.NoError(t, b.load())
	input := host.Input{Messages: []abi.Message{abi.Human("write to ann@example.com")}}
	for range 3 {
		result, err := b.agent.Run(t.Context(), input)
		require.NoError(t, err)
		require.Equal(t, host.Completed, result.Status)
		require.NotContains(t, result.Messages.At(0).Content.Text(), "ann@example.com")
	}
	b.close(t)
	require.NoError(t, engine.Close())
}

// TestCacheThatIsGone loads plugins while the engine's cache cannot be written, because a file replaces its directory.
func TestCacheThatIsGone(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "cache")
	engine, err := plugin.NewEngine(plugin.EngineConfig{Dir: dir})
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll(dir))
	require.NoError(t, os.WriteFile(dir, nil, 0o600))
	b := newBundle(plugin.Wasm{ID: "good", Bytes: hostile.Good(), Engine: engine})
	require.NoError(t, b.load())
	requireMarks(t, b.run(t))
	b.close(t)
	require.NoError(t, engine.Close())
}
