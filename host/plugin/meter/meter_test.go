package meter_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero/api"
	"go.uber.org/goleak"

	"github.com/agenthost/agenthost/host/plugin/meter"
	"github.com/agenthost/agenthost/host/plugin/preflight"
	"github.com/agenthost/agenthost/internal/wasmbin"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fuelOf calls run with a number and returns the result, the error and the fuel that was used.
func fuelOf(t *testing.T, g *guest, n uint64, slice, limit int64) (result uint64, fuel int64, err error) {
	t.Helper()
	left, _ := g.module.ExportedGlobal(meter.Fuel).(api.MutableGlobal)
	g.budget = budget{slice: slice, limit: limit, given: min(slice, limit)}
	left.Set(uint64(g.budget.given))
	results, err := g.module.ExportedFunction("run").Call(context.Background(), n)
	if err != nil {
		return 0, 0, err
	}
	return results[0], g.budget.given - int64(left.Get()), nil
}

const plenty = math.MaxInt64 >> 8

// TestGoldenFuel pins the numbers of the cost table's version. Other numbers require another version.
func TestGoldenFuel(t *testing.T) {
	t.Parallel()
	require.Equal(t, 1, meter.Version)
	for _, test := range []struct {
		name   string
		code   []byte
		n      uint64
		result uint64
		fuel   int64
	}{
		{"count", counting(), 1000, 499500, 2002},
		{"hash", hashing(), 1000, 0, 2002},
		{"recursion", fib(), 20, 6765, 65673},
		{"bytes", filling(), 1 << 16, 1, 4100},
		{"pages", growing(), 3, 1, 12352},
		{"too many pages", exporting(0, 0x20, 0, 0x40, 0), 1 << 31, math.MaxUint32, 63},
		{"branches", branching(), 1000, 500, 8003},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			g := start(t, metered(t, test.code))
			plain := start(t, test.code)
			want, err := plain.module.ExportedFunction("run").Call(context.Background(), test.n)
			require.NoError(t, err)
			require.Equal(t, test.result, want[0])
			result, fuel, err := fuelOf(t, g, test.n, plenty, plenty)
			require.NoError(t, err)
			require.Equal(t, test.result, result)
			require.Equal(t, test.fuel, fuel)
		})
	}
}

// TestSmallFunctionsAreChargedByTheirCallers calls a small function three times. In one module nothing else can reach
// the function, and in the other it is exported.
func TestSmallFunctionsAreChargedByTheirCallers(t *testing.T) {
	t.Parallel()
	helper := wasmbin.Body(nil, []byte{0x20, 0}, slices.Repeat([]byte{0x41, 1, 0x6a}, 6), []byte{0x45})
	run := wasmbin.Body(nil, []byte{0x20, 0, 0x10, 1, 0x10, 1, 0x10, 1})
	fuel := map[bool]int64{}
	for _, exported := range []bool{false, true} {
		exports := [][]byte{slices.Concat(name("run"), []byte{0, 0})}
		if exported {
			exports = append(exports, slices.Concat(name("helper"), []byte{0, 1}))
		}
		g := start(t, metered(t, module(section(1, vector([]byte{0x60, 1, 0x7f, 1, 0x7f})), section(3, vector([]byte{0}, []byte{0})),
			section(7, vector(exports...)), section(10, vector(run, helper)))))
		result, used, err := fuelOf(t, g, 5, plenty, plenty)
		require.NoError(t, err)
		require.EqualValues(t, 0, result)
		fuel[exported] = used
	}
	require.Equal(t, map[bool]int64{false: 9, true: 11}, fuel, "what is charged apart is rounded apart")
}

// TestFuelEndsExactly gives a call exactly the fuel that it needs, and one unit less, in slices of several sizes.
func TestFuelEndsExactly(t *testing.T) {
	t.Parallel()
	for _, slice := range []int64{1, 7, 100, plenty} {
		g := start(t, metered(t, fib()))
		_, need, err := fuelOf(t, g, 10, plenty, plenty)
		require.NoError(t, err)
		_, used, err := fuelOf(t, g, 10, slice, need)
		require.NoError(t, err, "slices of %d", slice)
		require.Equal(t, need, used)
		_, _, err = fuelOf(t, g, 10, slice, need-5)
		require.ErrorIs(t, err, errOutOfFuel, "slices of %d", slice)
		_, used, err = fuelOf(t, g, 10, slice, need)
		require.NoError(t, err, "the instance is as good as before")
		require.Equal(t, need, used)
	}
}

// TestRunawaysStop runs guests that would never end.
func TestRunawaysStop(t *testing.T) {
	t.Parallel()
	for name, code := range map[string][]byte{
		"loop":                 exporting(0, 0x03, 0x40, 0x0c, 0, 0x0b, 0x41, 0),
		"loops":                exporting(0, 0x03, 0x40, 0x03, 0x40, 0x0c, 1, 0x0b, 0x0b, 0x41, 0),
		"loop with a call":     exporting(0, 0x03, 0x40, 0x20, 0, 0x45, 0x04, 0x40, 0x41, 1, 0x10, 0, 0x1a, 0x0b, 0x0c, 0, 0x0b, 0x41, 0),
		"tree of calls":        tree(60),
		"filling":              exporting(0, 0x03, 0x40, 0x41, 0, 0x41, 0, 0x41, 0x80, 0x80, 8, 0xfc, 11, 0, 0x0c, 0, 0x0b, 0x41, 0),
		"copying":              exporting(0, 0x03, 0x40, 0x41, 0, 0x41, 0, 0x41, 0x80, 0x80, 8, 0xfc, 10, 0, 0, 0x0c, 0, 0x0b, 0x41, 0),
		"filling in a row":     exporting(0, slices.Concat([]byte{0x03, 0x40}, slices.Repeat([]byte{0x41, 0, 0x41, 0, 0x41, 0x80, 0x80, 8, 0xfc, 11, 0}, 1000), []byte{0x0c, 0, 0x0b, 0x41, 0})...),
		"growing by nothing":   exporting(0, 0x03, 0x40, 0x41, 0, 0x40, 0, 0x1a, 0x0c, 0, 0x0b, 0x41, 0),
		"turning in one place": exporting(0, 0x03, 0x40, 0x20, 0, 0x0e, 1, 0, 0, 0x0b, 0x41, 0),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := start(t, metered(t, code))
			_, _, err := fuelOf(t, g, 0, 1000, 1_000_000)
			require.ErrorIs(t, err, errOutOfFuel)
			require.LessOrEqual(t, g.budget.ticks, 1002, "each slice was used")
		})
	}
}

func TestCollisionsAreRefused(t *testing.T) {
	t.Parallel()
	types := section(1, vector([]byte{0x60, 1, 0x7e, 1, 0x7e}))
	imported := module(types, section(2, vector(slices.Concat(name(meter.Module), name(meter.Tick), []byte{0, 0}))))
	exported := module(section(6, vector([]byte{0x7e, 1, 0x42, 0, 0x0b})), section(7, vector(slices.Concat(name(meter.Fuel), []byte{3, 0}))))
	for says, code := range map[string][]byte{`it imports "tick" of "agenthost_meter"`: imported, `it exports "agenthost_fuel"`: exported} {
		m, err := preflight.Check(code, preflight.Default())
		require.NoError(t, err)
		_, err = meter.Rewrite(code, m, meter.Options{Table: tableMax})
		require.ErrorContains(t, err, says)
	}
}

// TestNothingOfTheMeterCanBeNamed checks that the preflight refuses indexes that exist only after the meter is added.
func TestNothingOfTheMeterCanBeNamed(t *testing.T) {
	t.Parallel()
	for what, code := range map[string][]byte{
		"global":         exporting(0, 0x23, 0, 0x1a, 0x41, 0),
		"local variable": exporting(0, 0x41, 0, 0x21, 1, 0x41, 0),
		"function":       exporting(0, 0x41, 0, 0x10, 1),
		"type":           exporting(0, 0x02, 1, 0x0b, 0x41, 0),
	} {
		_, err := preflight.Check(code, preflight.Default())
		require.ErrorContains(t, err, "not exist", what)
	}
}

// TestTablesGetAMaximum grows a table that has no maximum, or a large one.
func TestTablesGetAMaximum(t *testing.T) {
	t.Parallel()
	for _, limits := range [][]byte{{0, 1}, {1, 1, 0xff, 0xff, 0xff, 0x7f}} {
		code := module(
			section(1, vector([]byte{0x60, 1, 0x7f, 1, 0x7f})), section(3, vector([]byte{0})),
			section(4, vector(slices.Concat([]byte{0x70}, limits))),
			section(7, vector(slices.Concat(name("run"), []byte{0, 0}))),
			section(10, vector(wasmbin.Body(nil, []byte{0xd0, 0x70, 0x20, 0, 0xfc, 15, 0}))),
		)
		g := start(t, metered(t, code))
		result, _, err := fuelOf(t, g, tableMax-1, plenty, plenty)
		require.NoError(t, err)
		require.EqualValues(t, 1, result, "the size before")
		result, _, err = fuelOf(t, g, 1, plenty, plenty)
		require.NoError(t, err)
		require.Equal(t, uint32(math.MaxUint32), uint32(result), "it does not grow any more")
	}
}

// TestNamesMove checks that a trap shows the function names that the module gave.
func TestNamesMove(t *testing.T) {
	t.Parallel()
	code := slices.Concat(exporting(0, 0x00), section(0, name("name"),
		section(0, name("guest")), section(1, vector(slices.Concat([]byte{0}, name("explode")))),
		section(2, vector(slices.Concat([]byte{0}, vector(slices.Concat([]byte{0}, name("n"))))))))
	g := start(t, metered(t, code))
	_, _, err := fuelOf(t, g, 0, plenty, plenty)
	require.ErrorContains(t, err, "guest.explode(i32) i32")
	require.NotErrorIs(t, err, errOutOfFuel)
}

// TestRealGuests runs guests of three compilers with and without a meter. They must do the same, and the slices in
// which they get fuel must not matter.
func TestRealGuests(t *testing.T) {
	t.Parallel()
	for _, w := range realWorkloads(t) {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			code := metered(t, w.code)
			plain, with, slowly := start(t, w.code), start(t, code), start(t, code)
			slowly.budget.slice = 1000
			var fuel [3]int64
			for n, g := range []*guest{plain, with, slowly} {
				w.setup(t, g)
				fuel[n] = w.run(t, g)
			}
			require.Equal(t, plain.result, with.result)
			require.Equal(t, plain.result, slowly.result)
			require.Zero(t, fuel[0])
			require.Positive(t, fuel[1])
			require.Equal(t, fuel[1], fuel[2])
			require.Less(t, with.budget.ticks, slowly.budget.ticks)
		})
	}
}
