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
	kernels  sync.Pool   // of *[]byte: memories of kernels that are not used any more
}

// Compile gives the module to the SDK, with functions of the host's own for all that it imports.
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

// Instantiate lets the SDK make an instance.
func (c *code) Instantiate(
	ctx context.Context, config wazero.ModuleConfig, memory experimental.MemoryAllocator, guest contract.Guest,
) (contract.Instance, error) {
	s := &session{code: c, guest: guest, blocks: blocks{guest: guest}}
	ctx = context.WithValue(ctx, sessionKey{}, s)
	// A start section runs before there is a plugin; the SDK's way to the host's functions asks for one.
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

// memories gives the SDK's kernel, which is made first, a memory of its own, and the guest the one that is counted.
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

// kernelMemory is the memory of the SDK's kernel. The SDK uses it when the instance is initialized, and never again, so the
// MiB that each kernel wants is then given to the next.
type kernelMemory struct {
	bytes []byte
	free  *sync.Pool
}

// mostKernel is how large it may become, in bytes.
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

// leave gives the memory to the next kernel. This one must not run any more.
func (m *kernelMemory) leave() {
	if m.bytes == nil {
		return
	}
	used := m.bytes
	m.free.Put(&used)
	m.bytes = nil
}
