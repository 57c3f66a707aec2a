package meter_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin/meter"
	"github.com/agenthost/agenthost/host/plugin/preflight"
)

// tableMax is the maximum that the tests give to tables.
const tableMax = 64 << 10

// metered puts a meter into a module.
func metered(t testing.TB, code []byte) []byte {
	t.Helper()
	limits := preflight.Default()
	limits.Module = 32 << 20 // an interpreter is large
	m, err := preflight.Check(code, limits)
	require.NoError(t, err)
	out, err := meter.Rewrite(code, m, meter.Options{Table: tableMax})
	require.NoError(t, err)
	return out
}

// budget is the fuel that a guest may use, and has used.
type budget struct {
	slice int64 // the most that a tick gives
	limit int64
	given int64
	ticks int
}

// refill is the host's side of the meter.
func (b *budget) refill(left int64) int64 {
	b.ticks++
	used := b.given - left
	if used > b.limit {
		panic(errOutOfFuel)
	}
	next := min(b.slice, b.limit-used)
	b.given = used + next
	return next
}

// guest is an instance of a module, with or without a meter, in a host that gives it an input and takes a result.
type guest struct {
	module api.Module
	budget budget
	input  []byte
	result []byte
}

// start makes an instance. It is closed when the test ends.
func start(t testing.TB, code []byte, script ...byte) *guest {
	t.Helper()
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithCoreFeatures(api.CoreFeaturesV2))
	t.Cleanup(func() { require.NoError(t, r.Close(ctx)) })
	g := &guest{budget: budget{slice: 200_000, limit: 1 << 60}, input: script}
	wasi_snapshot_preview1.MustInstantiate(ctx, r)
	g.imports(t, r)
	module, err := r.InstantiateWithConfig(ctx, code, wazero.NewModuleConfig().WithStartFunctions("_initialize"))
	require.NoError(t, err)
	g.module = module
	return g
}

// imports provides the imports of guests: the meter, and the functions of the ABI that a hook without next needs.
func (g *guest) imports(t testing.TB, r wazero.Runtime) {
	t.Helper()
	i32, i64 := api.ValueTypeI32, api.ValueTypeI64
	export := func(b wazero.HostModuleBuilder, name string, params, results []api.ValueType, f func(m api.Memory, s []uint64)) {
		b.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(_ context.Context, m api.Module, s []uint64) { f(m.Memory(), s) }),
			params, results).Export(name)
	}
	b := r.NewHostModuleBuilder(meter.Module)
	export(b, meter.Tick, []api.ValueType{i64}, []api.ValueType{i64}, func(_ api.Memory, s []uint64) {
		s[0] = uint64(g.budget.refill(int64(s[0])))
	})
	_, err := b.Instantiate(t.Context())
	require.NoError(t, err)
	b = r.NewHostModuleBuilder(abi.Module)
	export(b, abi.ImportInputRead, []api.ValueType{i32, i32}, []api.ValueType{i32}, func(m api.Memory, s []uint64) {
		if uint32(s[1]) >= uint32(len(g.input)) {
			m.Write(uint32(s[0]), g.input)
		}
		s[0] = uint64(len(g.input))
	})
	export(b, abi.ImportResultWrite, []api.ValueType{i32, i32}, []api.ValueType{i32}, func(m api.Memory, s []uint64) {
		view, _ := m.Read(uint32(s[0]), uint32(s[1]))
		g.result = append(g.result[:0], view...)
		s[0] = 0
	})
	export(b, abi.ImportNext, []api.ValueType{i32, i32}, []api.ValueType{i64}, func(_ api.Memory, s []uint64) { s[0] = 0 })
	export(b, abi.ImportHostCall, []api.ValueType{i32, i32, i32, i32}, []api.ValueType{i64}, func(_ api.Memory, s []uint64) { s[0] = 0 })
	export(b, abi.ImportReplyRead, []api.ValueType{i32, i32}, []api.ValueType{i32}, func(_ api.Memory, s []uint64) { s[0] = 0 })
	export(b, abi.ImportLog, []api.ValueType{i32, i32, i32}, nil, func(api.Memory, []uint64) {})
	_, err = b.Instantiate(t.Context())
	require.NoError(t, err)
}

// call calls an export of the ABI with an input, and returns the fuel that it used.
func (g *guest) call(t testing.TB, export string, input []byte) int64 {
	t.Helper()
	g.input = input
	fuel, _ := g.module.ExportedGlobal(meter.Fuel).(api.MutableGlobal)
	if fuel != nil {
		g.budget.given, g.budget.ticks = g.budget.slice, 0
		fuel.Set(uint64(g.budget.given))
	}
	params := []uint64{uint64(len(input))}
	if export == abi.ExportDescribe {
		params = nil
	}
	_, err := g.module.ExportedFunction(export).Call(context.Background(), params...)
	require.NoError(t, err)
	if fuel == nil {
		return 0
	}
	return g.budget.given - int64(fuel.Get())
}
