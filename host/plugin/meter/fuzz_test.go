package meter_test

import (
	"context"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/agenthost/agenthost/host/plugin/meter"
	"github.com/agenthost/agenthost/host/plugin/preflight"
)

// FuzzRewrite checks that a module that wazero compiles still compiles with a meter. Functions that end soon must give
// the same results with it.
func FuzzRewrite(f *testing.F) {
	for _, code := range [][]byte{counting(), hashing(), fib(), filling(), growing(), branching(), tree(4)} {
		f.Add(code, uint64(5))
	}
	if code, err := os.ReadFile("testdata/scan.rust.wasm"); err == nil {
		f.Add(code, uint64(0))
	}
	f.Fuzz(func(t *testing.T, code []byte, n uint64) {
		if len(code) > 32<<10 {
			return
		}
		m, err := preflight.Check(code, preflight.Default())
		if err != nil || (m.Memory != nil && m.Memory.Min > 64) {
			return
		}
		ctx := context.Background()
		plain := newSpecWorld(t, false, 0)
		defer func() { require.NoError(t, plain.runtime.Close(ctx)) }()
		with := newSpecWorld(t, true, 1000)
		with.budget.limit = 100_000
		defer func() { require.NoError(t, with.runtime.Close(ctx)) }()
		rewritten, err := meter.Rewrite(code, m, meter.Options{Table: tableMax})
		if err != nil {
			return
		}
		again, err := preflight.Check(rewritten, preflight.Default())
		_, plainErr := plain.runtime.CompileModule(ctx, code)
		_, withErr := with.runtime.CompileModule(ctx, rewritten)
		if plainErr != nil {
			custom := slices.ContainsFunc(m.Sections, func(s preflight.Section) bool { return s.ID == preflight.SectionCustom })
			require.True(t, withErr != nil || custom, "what is invalid stays so; custom sections are dropped, and what wazero refuses in them")
			return
		}
		require.NoError(t, err)
		require.NoError(t, withErr)
		require.Len(t, again.Bodies, len(m.Bodies)+1)
		if m.Start == nil { // it may run forever
			compareRuns(t, plain, with, code, rewritten, n)
		}
	})
}

// compareRuns calls every export of both instances that ends within its budget.
func compareRuns(t *testing.T, plain, with *specWorld, code, rewritten []byte, n uint64) {
	t.Helper()
	ctx := context.Background()
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions()
	one, err := plain.runtime.InstantiateWithConfig(ctx, code, config)
	other, otherErr := with.runtime.InstantiateWithConfig(ctx, rewritten, config)
	if err != nil {
		require.Error(t, otherErr)
		return
	}
	require.NoError(t, otherErr)
	for name, f := range one.ExportedFunctionDefinitions() {
		if len(f.ParamTypes()) > 0 && (len(f.ParamTypes()) > 1 || f.ParamTypes()[0] != api.ValueTypeI32) {
			continue
		}
		params := make([]uint64, len(f.ParamTypes()))
		for i := range params {
			params[i] = n & 0xffff
		}
		left, _ := other.ExportedGlobal(meter.Fuel).(api.MutableGlobal)
		left.Set(0)
		with.budget.given = 0
		got, failed := other.ExportedFunction(name).Call(ctx, params...)
		if failed != nil {
			return // after a trap, the fuel and the memory are unknown
		}
		want, failure := one.ExportedFunction(name).Call(ctx, params...)
		require.NoError(t, failure)
		require.Equal(t, want, got, name)
	}
}
