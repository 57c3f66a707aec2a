//go:build !no_extism

package extism_test

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"golang.org/x/sync/errgroup"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/extism"
	"github.com/agenthost/agenthost/host/plugin/internal/contract"
)

// counting counts how often modules are compiled, and how often compiled code is closed.
type counting struct {
	extism.Extism

	compiled, closed *atomic.Int32
}

func (c counting) Compile(
	ctx context.Context, module []byte, config wazero.RuntimeConfig, cache wazero.CompilationCache, shared []contract.Function,
) (contract.Code, error) {
	c.compiled.Add(1)
	code, err := c.Extism.Compile(ctx, module, config, cache, shared)
	return countingCode{code, c.closed}, err
}

type countingCode struct {
	contract.Code

	closed *atomic.Int32
}

func (c countingCode) Close(ctx context.Context) error {
	c.closed.Add(1)
	return c.Code.Close(ctx)
}

// TestPluginsShareTheirCode shows that all plugins of a module share its compiled code, both at once and one after the
// other. The code is closed with the engine.
func TestPluginsShareTheirCode(t *testing.T) {
	t.Parallel()
	var compiled, closed atomic.Int32
	engine, err := plugin.NewEngine(plugin.EngineConfig{
		Contracts: []plugin.Contract{counting{compiled: &compiled, closed: &closed}}, Compiles: 4,
	})
	require.NoError(t, err)
	module := describing(jsonDescription).export("before_model", i32(0)).bytes()
	load := func() (*host.Hooks, error) {
		w := plugin.Wasm{Bytes: module, Engine: engine}
		return w.Hooks(t.Context(), host.Env{Name: "foreign", Logger: slog.New(slog.DiscardHandler)})
	}
	first, err := load()
	require.NoError(t, err)
	second, err := load()
	require.NoError(t, err)
	require.EqualValues(t, 1, compiled.Load())
	require.NoError(t, first.Close())
	require.NoError(t, second.Close())
	third, err := load()
	require.NoError(t, err)
	require.NoError(t, third.Close())
	require.EqualValues(t, 1, compiled.Load())
	require.Zero(t, closed.Load())

	var group errgroup.Group
	for range 20 {
		group.Go(func() error {
			for range 10 {
				hooks, err := load()
				if err != nil {
					return err
				}
				if err := hooks.Close(); err != nil {
					return err
				}
			}
			return nil
		})
	}
	require.NoError(t, group.Wait())
	used, _ := engine.Memory()
	require.Zero(t, used, "nothing is held when no plugin is left")
	require.NoError(t, engine.Close())
	require.Equal(t, compiled.Load(), closed.Load(), "all that was compiled is closed")
}
