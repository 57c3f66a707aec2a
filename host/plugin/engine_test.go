package plugin_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
)

// child is what a process does that a test started.
func child(does, dir string) int {
	var err error
	switch does {
	case "compile":
		err = plugin.CompileHere(context.Background(), dir, os.Stdin)
	case "refuse":
		err = errors.New("not today")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// loads loads a plugin and closes it.
func loads(engine *plugin.Engine, code []byte) error {
	_, config := newBundle(plugin.Wasm{Bytes: code, Engine: engine})
	agent, err := host.New(config)
	if err != nil {
		return err
	}
	return agent.Close()
}

func closes(t *testing.T, e *plugin.Engine) {
	t.Helper()
	t.Cleanup(func() { require.NoError(t, e.Close()) })
}

// simple is a guest that has nothing to say.
func simple() []byte {
	return guestkit.Fine().Bytes()
}

func TestNewModulesAreCompiledInAChild(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "cache")
	first := newEngine(plugin.EngineConfig{Dir: dir, Compile: plugin.CompileInChild(os.Args[0], "compile")})
	closes(t, first)
	info, err := os.Stat(dir)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm(), "nobody else may write what is executed")
	require.NoError(t, loads(first, simple()))
	second := newEngine(plugin.EngineConfig{Dir: dir, Compile: func(context.Context, string, []byte) error { return errors.New("it was compiled before") }})
	closes(t, second)
	require.NoError(t, loads(second, simple()))
	err = loads(second, once().Bytes())
	require.Equal(t, plugin.KindLimit, faultIn(t, err).Kind)
	require.ErrorContains(t, err, "it was compiled before")

	refuses := newEngine(plugin.EngineConfig{Dir: t.TempDir(), Compile: plugin.CompileInChild(os.Args[0], "refuse")})
	closes(t, refuses)
	err = loads(refuses, simple())
	require.Equal(t, "compile", faultIn(t, err).Stage)
	require.ErrorContains(t, err, "not today")
	_, err = plugin.NewEngine(plugin.EngineConfig{Compile: plugin.CompileInChild("x")})
	require.ErrorContains(t, err, "needs a Dir")
}

// TestMemoryIsShared lets plugins want more memory than there is for all of them.
func TestMemoryIsShared(t *testing.T) {
	t.Parallel()
	grows := func(pages int) []byte { // traps if it cannot
		g := guestkit.Hooked(abi.BeforeModel, abi.HookSpec{})
		return g.On("before_model", guestkit.I32(pages), guestkit.Grow, guestkit.I32(-1), guestkit.Equal, guestkit.When(guestkit.Trap), guestkit.Nothing).Bytes()
	}
	engine := newEngine(plugin.EngineConfig{Memory: 8 << 20})
	closes(t, engine)
	run := func(pages int) error {
		b := setup(t, plugin.Wasm{Bytes: grows(pages), Engine: engine})
		_, err := b.run(t)
		return err
	}
	require.NoError(t, run(16))
	err := run(120)
	fault := faultIn(t, err)
	require.Equal(t, plugin.KindMemory, fault.Kind)
	require.Contains(t, fault.Message, "no memory is left for plugins, which may use 8388608 bytes together")
	require.NoError(t, run(50), "free instances of others make room")
	used, limit := engine.Memory()
	require.LessOrEqual(t, used, limit)

	tiny := newEngine(plugin.EngineConfig{Memory: 100 << 10})
	closes(t, tiny)
	err = loads(tiny, simple())
	require.Equal(t, plugin.KindMemory, faultIn(t, err).Kind)
	require.ErrorContains(t, err, "it needs", "it can never have that much")
}

// TestInstancesWaitForMemory holds all memory in a call, so that another plugin's instance waits until it is over.
func TestInstancesWaitForMemory(t *testing.T) {
	t.Parallel()
	large := guestkit.Hooked(abi.WrapModelCall, abi.HookSpec{})
	large.Memory = guestkit.Pages(40)
	large.On("wrap_model_call", large.Forward(nil, abi.StatusOK), guestkit.Nothing)
	engine := newEngine(plugin.EngineConfig{Memory: 4 << 20})
	closes(t, engine)
	slow := setup(t, plugin.Wasm{Bytes: large.Bytes(), Engine: engine}, func(c *host.Config) { c.Model = &slowModel{takes: 300 * time.Millisecond} })
	done := make(chan error)
	go func() {
		_, err := slow.agent.Run(context.Background(), host.Input{Messages: []abi.Message{abi.Human("hi")}})
		done <- err
	}()
	for slow.model.Calls() == 0 && len(done) == 0 { // until the model was asked, or all is over
		used, _ := engine.Memory()
		if used > 40<<16 {
			break
		}
		runtime.Gosched()
	}
	start := time.Now()
	require.NoError(t, loads(engine, large.Bytes()))
	t.Logf("it waited %v", time.Since(start))
	require.NoError(t, <-done)
}

// TestCloseWaits closes an agent while a call is going on.
func TestCloseWaits(t *testing.T) {
	t.Parallel()
	g := guestkit.Hooked(abi.WrapModelCall, abi.HookSpec{})
	g.On("wrap_model_call", g.Forward(nil, abi.StatusOK), guestkit.Nothing)
	slow := &slowModel{takes: 50 * time.Millisecond}
	_, config := newBundle(plugin.Wasm{Bytes: g.Bytes()}, func(c *host.Config) { c.Model = slow })
	agent, err := host.New(config)
	require.NoError(t, err)
	begun, done := make(chan struct{}), make(chan error, 1)
	go func() {
		_, err := agent.RunEvents(context.Background(), host.Input{Messages: []abi.Message{abi.Human("hi")}}, func(e host.Event) error {
			if e.Type == host.EventRun {
				close(begun)
			}
			return nil
		})
		done <- err
	}()
	<-begun
	require.NoError(t, agent.Close())
	require.Equal(t, 2, slow.Calls(), "the run went on to its end")
	require.NoError(t, <-done)
}

// TestCacheDirectories loads plugins where the directory of the cache is not what it should be.
func TestCacheDirectories(t *testing.T) {
	t.Parallel()
	t.Run("a file in its place", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "cache")
		require.NoError(t, os.WriteFile(path, nil, 0o600))
		_, err := plugin.NewEngine(plugin.EngineConfig{Dir: path})
		require.ErrorContains(t, err, "compilation cache")
	})
	for name, spoil := range map[string]func(b []byte) []byte{
		"empty": func([]byte) []byte { return nil }, "truncated": func(b []byte) []byte { return b[:len(b)/2] },
		"garbage":      func(b []byte) []byte { return slices.Repeat([]byte{0xcc}, len(b)) },
		"changed code": func(b []byte) []byte { b[len(b)/2] ^= 0xff; return b },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			first := newEngine(plugin.EngineConfig{Dir: dir})
			require.NoError(t, loads(first, simple()))
			require.NoError(t, first.Close())
			files, err := filepath.Glob(filepath.Join(dir, "wazero-*", "*"))
			require.NoError(t, err)
			require.NotEmpty(t, files)
			for _, file := range files {
				b, err := os.ReadFile(file)
				require.NoError(t, err)
				require.NoError(t, os.WriteFile(file, spoil(b), 0o600))
			}
			second := newEngine(plugin.EngineConfig{Dir: dir})
			closes(t, second)
			require.NoError(t, loads(second, simple()))
			for _, file := range files {
				require.NoError(t, os.WriteFile(file, []byte("spoilt again"), 0o600))
			}
			third := newEngine(plugin.EngineConfig{Dir: dir, Compile: plugin.CompileInChild(os.Args[0], "compile")})
			closes(t, third)
			require.NoError(t, loads(third, simple()), "a child mends it too")
		})
	}
}

// Agents that use the same module compile it once, also when they load it at the same time, under other names and from other files.
func TestAModuleIsCompiledOnce(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]plugin.EngineConfig{
		"in memory":      {Compiles: 4},
		"in a directory": {Compiles: 4, Dir: filepath.Join(t.TempDir(), "cache"), Compile: plugin.CompileInChild(os.Args[0], "compile")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			children := &atomic.Int64{}
			if compile := config.Compile; compile != nil {
				config.Compile = func(ctx context.Context, dir string, module []byte) error {
					children.Add(1)
					return compile(ctx, dir, module)
				}
			}
			engine := newEngine(config)
			closes(t, engine)
			files := []string{filepath.Join(t.TempDir(), "a.wasm"), filepath.Join(t.TempDir(), "b.wasm")}
			for _, file := range files {
				require.NoError(t, os.WriteFile(file, simple(), 0o600))
			}
			var agents errgroup.Group
			for i := range 8 {
				agents.Go(func() error {
					_, config := newBundle(plugin.Wasm{Path: files[i%2], ID: fmt.Sprintf("p%d", i), Engine: engine})
					agent, err := host.New(config)
					if err != nil {
						return err
					}
					return agent.Close()
				})
			}
			require.NoError(t, agents.Wait())
			require.Equal(t, 1, engine.Compilations())
			if config.Dir != "" {
				require.EqualValues(t, 1, children.Load())
			}
			require.NoError(t, loads(engine, once().Bytes()))
			require.Equal(t, 2, engine.Compilations(), "another module")
			require.NoError(t, loads(engine, simple()))
			require.Equal(t, 2, engine.Compilations(), "nobody has used it meanwhile")
		})
	}
}
