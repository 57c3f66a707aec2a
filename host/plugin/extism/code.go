//go:build !no_extism

package extism

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	sdk "github.com/extism/go-sdk"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/agenthost/agenthost/host/plugin/internal/contract"
)

// code is a compiled module.
type code struct {
	compiled *sdk.CompiledPlugin
	cache    wazero.CompilationCache
	json     atomic.Bool // its documents are JSON
	kernels  sync.Pool   // of *[]byte: memories of kernels that are no longer used
}

// Compile passes the module to the SDK, together with this package's own functions for all imports.
func (Extism) Compile(
	ctx context.Context, module []byte, config wazero.RuntimeConfig, cache wazero.CompilationCache, shared []contract.Function,
) (contract.Code, error) {
	functions := make([]sdk.HostFunction, 0, len(shared)+32)
	add := func(f contract.Function) {
		function := sdk.NewHostFunctionWithStack(f.Name, func(ctx context.Context, _ *sdk.CurrentPlugin, stack []uint64) {
			f.Call(ctx, stack)
		}, f.Params, f.Results)
		function.SetNamespace(f.Module)
		functions = append(functions, function)
	}
	for _, f := range shared {
		add(f)
	}
	for _, m := range modules() {
		for _, f := range m.functions {
			add(contract.Function{Module: m.host, Name: f.name, Params: f.params, Results: f.results, Call: func(ctx context.Context, stack []uint64) {
				f.call(sessionOf(ctx), stack)
			}})
		}
	}
	compiled, err := sdk.NewCompiledPlugin(ctx, sdk.Manifest{
		Wasm:   []sdk.Wasm{sdk.WasmData{Data: module}},
		Memory: &sdk.ManifestMemory{}, // 0 bytes of responses, and of variables
	}, sdk.PluginConfig{RuntimeConfig: config.WithCompilationCache(cache), EnableWasi: true}, functions)
	if err != nil {
		return nil, err
	}
	return &code{compiled: compiled, cache: cache}, nil
}

// Instantiate makes an instance with the SDK.
func (c *code) Instantiate(
	ctx context.Context, config wazero.ModuleConfig, memory experimental.MemoryAllocator, guest contract.Guest,
) (contract.Instance, error) {
	s := &session{code: c, guest: guest, blocks: blocks{guest: guest}}
	ctx = context.WithValue(ctx, sessionKey{}, s)
	// A start section runs before there is a plugin, but the SDK's path to the host's functions requires one.
	starting := context.WithValue(ctx, sdk.PluginCtxKey("plugin"), &sdk.Plugin{})
	s.kernel.free = &c.kernels
	plugin, err := c.compiled.Instance(experimental.WithMemoryAllocator(starting, &memories{guest: memory, kernel: &s.kernel}),
		sdk.PluginInstanceConfig{ModuleConfig: config})
	if err != nil {
		return nil, err
	}
	s.plugin, s.ctx = plugin, context.WithValue(ctx, sdk.PluginCtxKey("plugin"), plugin)
	return s, nil
}

func (c *code) Close(ctx context.Context) error {
	if err := c.compiled.Close(ctx); err != nil {
		return fmt.Errorf("closing an Extism plugin: %w", err)
	}
	return c.cache.Close(ctx)
}

// memories gives the SDK's kernel, which is made first, its own memory, and gives the guest the memory that counts
// against the limit.
type memories struct {
	guest  experimental.MemoryAllocator
	kernel *kernelMemory
	second bool
}

func (m *memories) Allocate(capacity, most uint64) experimental.LinearMemory {
	if m.second {
		return m.guest.Allocate(capacity, most)
	}
	m.second = true
	return m.kernel
}

// kernelMemory is the memory of the SDK's kernel, which takes about 1 MiB. The SDK uses it only while the instance is
// initialized, so it is then passed to the next kernel.
type kernelMemory struct {
	bytes []byte
	free  *sync.Pool
}

// mostKernel is the maximum size of a kernel's memory, in bytes.
const mostKernel = 4 << 20

func (m *kernelMemory) Reallocate(size uint64) []byte {
	if size > mostKernel {
		return nil
	}
	if m.bytes == nil {
		if used, ok := m.free.Get().(*[]byte); ok {
			m.bytes = *used
			clear(m.bytes[:cap(m.bytes)])
		}
	}
	if size > uint64(cap(m.bytes)) {
		m.bytes = append(make([]byte, 0, size), m.bytes...)
	}
	m.bytes = m.bytes[:size]
	return m.bytes
}

// Free is called when the instance is closed.
func (m *kernelMemory) Free() {}

// leave passes the memory to the next kernel. This kernel must not run any more.
func (m *kernelMemory) leave() {
	if m.bytes == nil {
		return
	}
	used := m.bytes
	m.free.Put(&used)
	m.bytes = nil
}
