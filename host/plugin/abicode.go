package plugin

import (
	"context"
	"errors"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/agenthost/agenthost/abi"
)

// abiCode is the compiled code of a module that is written for the ABI, in a runtime of its own that has the modules which it
// imports. Its functions find the instance that calls them by the context, so plugins of one module can share the code.
// Modules that differ never share a runtime, in which they could import each other's memory.
type abiCode struct {
	runtime wazero.Runtime
	module  wazero.CompiledModule
}

// compileABI compiles a module for the ABI, which may import from WASI if wasi is set. A nil cache compiles without one.
func compileABI(ctx context.Context, metered []byte, wasi bool, cache wazero.CompilationCache) (compiledCode, error) {
	config := runtimeConfig()
	if cache != nil {
		config = config.WithCompilationCache(cache)
	}
	code := &abiCode{runtime: wazero.NewRuntimeWithConfig(ctx, config)}
	err := code.instantiateHost(ctx, wasi)
	if err == nil {
		code.module, err = compileModule(ctx, code.runtime, metered)
	}
	if err != nil {
		return nil, errors.Join(err, code.Close(ctx))
	}
	return code, nil
}

// Close frees the code. No instance may be left.
func (c *abiCode) Close(ctx context.Context) error {
	err := c.runtime.Close(ctx)
	if c.module != nil {
		err = errors.Join(err, c.module.Close(ctx))
	}
	return err
}

// instantiateHost creates the modules that the guest imports from. WASI has the most functions, each of which is compiled, and guests in
// Rust do without it.
func (c *abiCode) instantiateHost(ctx context.Context, wasi bool) error {
	b := c.runtime.NewHostModuleBuilder(abi.Module)
	for _, f := range hostFunctions() {
		call := f.call
		b.NewFunctionBuilder().
			WithGoFunction(api.GoFunc(func(ctx context.Context, stack []uint64) { call(instanceOf(ctx), stack) }), f.params, f.results).
			WithParameterNames(f.names...).
			Export(f.name)
	}
	if _, err := b.Instantiate(ctx); err != nil {
		return err
	}
	tick := tickFunction()
	b = c.runtime.NewHostModuleBuilder(tick.Module)
	b.NewFunctionBuilder().WithGoFunction(api.GoFunc(tick.Call), tick.Params, tick.Results).Export(tick.Name)
	if _, err := b.Instantiate(ctx); err != nil || !wasi {
		return err
	}
	return instantiateWASI(ctx, c.runtime)
}
