package main

import (
	"context"
	"fmt"

	extism "github.com/extism/go-sdk"

	"github.com/agenthost/agenthost/abi/wire"
)

// extismSDK calls the hook by the SDK of Extism: the module that agenthost loads as a plugin of Extism's, with functions of
// the host that it imports and does not call here.
func extismSDK() (carry, func(), error) {
	ctx := context.Background()
	i64 := extism.ValueTypeI64
	none := func(_ context.Context, _ *extism.CurrentPlugin, stack []uint64) { stack[0] = 0 }
	manifest := extism.Manifest{Wasm: []extism.Wasm{extism.WasmFile{Path: guestFile("bench.extism.wasm")}}}
	p, err := extism.NewPlugin(ctx, manifest, extism.PluginConfig{EnableWasi: true}, []extism.HostFunction{
		extism.NewHostFunctionWithStack("next", none, []extism.ValueType{i64}, []extism.ValueType{i64}),
		extism.NewHostFunctionWithStack("host_call", none, []extism.ValueType{i64, i64}, []extism.ValueType{i64}),
	})
	if err != nil {
		return nil, nil, err
	}
	call := func(name string, document []byte) ([]byte, error) {
		status, out, err := p.CallWithContext(ctx, name, document)
		if err == nil && status != 0 {
			err = fmt.Errorf("%s returned %d: %s", name, status, p.GetError())
		}
		return out, err
	}
	config, err := wire.MapOf(onlyHook())
	if err == nil {
		_, err = call("configure", config.Raw())
	}
	if err != nil {
		_ = p.Close(ctx)
		return nil, nil, err
	}
	return func(_ context.Context, document []byte) ([]byte, error) { return call("before_model", document) },
		func() { _ = p.Close(ctx) }, nil
}
