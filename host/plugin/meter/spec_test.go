package meter_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/agenthost/agenthost/host/plugin/meter"
	"github.com/agenthost/agenthost/host/plugin/preflight"
)

// The tests of the WebAssembly specification, taken from wazero's Go module, run without a meter and with one. A
// module must do the same with a meter.

type specFile struct {
	Commands []specCommand `json:"commands"`
}

type specCommand struct {
	Type     string     `json:"type"`
	Line     int        `json:"line"`
	Name     string     `json:"name"`
	Filename string     `json:"filename"`
	As       string     `json:"as"`
	Action   specAction `json:"action"`
}

type specAction struct {
	Type   string      `json:"type"`
	Field  string      `json:"field"`
	Module string      `json:"module"`
	Args   []specValue `json:"args"`
}

type specValue struct {
	Type  string          `json:"type"`
	Lane  string          `json:"lane_type"`
	Value json.RawMessage `json:"value"`
}

// specWorld is a runtime in which the modules of one file live.
type specWorld struct {
	runtime wazero.Runtime
	meter   bool
	budget  budget
	last    api.Module
	named   map[string]api.Module
}

func newSpecWorld(t *testing.T, withMeter bool, slice int64) *specWorld {
	t.Helper()
	ctx := context.Background()
	w := &specWorld{
		runtime: wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithCoreFeatures(api.CoreFeaturesV2)),
		meter:   withMeter, named: map[string]api.Module{}, budget: budget{slice: slice, limit: math.MaxInt64},
	}
	i32, i64, f32, f64 := api.ValueTypeI32, api.ValueTypeI64, api.ValueTypeF32, api.ValueTypeF64
	b := w.runtime.NewHostModuleBuilder(meter.Module)
	b.NewFunctionBuilder().WithGoFunction(api.GoFunc(func(_ context.Context, s []uint64) {
		s[0] = uint64(w.budget.refill(int64(s[0])))
	}), []api.ValueType{i64}, []api.ValueType{i64}).Export(meter.Tick)
	_, err := b.Instantiate(ctx)
	require.NoError(t, err)
	b = w.runtime.NewHostModuleBuilder("spectest")
	for name, params := range map[string][]api.ValueType{
		"print": nil, "print_i32": {i32}, "print_i64": {i64}, "print_f32": {f32}, "print_f64": {f64},
		"print_i32_f32": {i32, f32}, "print_f64_f64": {f64, f64},
	} {
		b.NewFunctionBuilder().WithGoFunction(api.GoFunc(func(context.Context, []uint64) {}), params, nil).Export(name)
	}
	_, err = b.Instantiate(ctx)
	require.NoError(t, err)
	return w
}

// instantiate instantiates a module, which becomes the last one, and returns a text that says what went wrong.
func (w *specWorld) instantiate(t *testing.T, name string, code []byte, m *preflight.Module) string {
	t.Helper()
	ctx := context.Background()
	w.last = nil
	if w.meter {
		var err error
		code, err = meter.Rewrite(code, m, meter.Options{Table: math.MaxUint32})
		require.NoError(t, err)
	}
	compiled, err := w.runtime.CompileModule(ctx, code)
	if err != nil {
		return "does not compile" // the text has offsets and indexes, which differ
	}
	w.last, err = w.runtime.InstantiateModule(ctx, compiled, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		w.last = nil
		return firstLine(err)
	}
	if name != "" {
		w.named[name] = w.last
	}
	return ""
}

// firstLine returns an error without the stack after it, and without the index of a function, which moves.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	if _, reason, ok := strings.Cut(line, "] failed: "); ok && strings.HasPrefix(line, "start function[") {
		return "start function failed: " + reason
	}
	return line
}

// invoke calls a function, or reads a global. It returns the results, the error, and the used fuel.
func (w *specWorld) invoke(t *testing.T, action *specAction) (results []uint64, failure string, fuel int64) {
	t.Helper()
	module := w.last
	if action.Module != "" {
		module = w.named[action.Module]
	}
	if module == nil {
		return nil, "no module", 0
	}
	if action.Type == "get" {
		global := module.ExportedGlobal(action.Field)
		require.NotNil(t, global)
		return []uint64{global.Get()}, "", 0
	}
	var params []uint64
	for i := range action.Args {
		params = append(params, action.Args[i].bits(t)...)
	}
	if w.meter {
		left, _ := module.ExportedGlobal(meter.Fuel).(api.MutableGlobal)
		left.Set(0)
		w.budget.given = 0
		defer func() { fuel = w.budget.given - int64(left.Get()) }()
	}
	results, err := module.ExportedFunction(action.Field).Call(context.Background(), params...)
	if err != nil {
		failure = firstLine(err)
	}
	return results, failure, 0
}

// bits returns the value in the form that wazero takes: one number, or two for a vector.
func (v *specValue) bits(t *testing.T) []uint64 {
	t.Helper()
	if v.Type != "v128" {
		return []uint64{number(t, v.Value)}
	}
	var lanes []json.RawMessage
	require.NoError(t, json.Unmarshal(v.Value, &lanes))
	width := 128 / len(lanes)
	var out [2]uint64
	for i, lane := range lanes {
		at := i * width
		out[at/64] |= number(t, lane) & (math.MaxUint64 >> (64 - width)) << (at % 64)
	}
	return out[:]
}

// number reads a number in decimal digits. Null references and kinds of NaN are also numbers.
func number(t *testing.T, raw json.RawMessage) uint64 {
	t.Helper()
	var text string
	require.NoError(t, json.Unmarshal(raw, &text))
	if text == "null" || strings.HasPrefix(text, "nan:") {
		return 0
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		signed, err := strconv.ParseInt(text, 10, 64)
		require.NoError(t, err)
		return uint64(signed)
	}
	return n
}

// specCount counts the comparisons.
type specCount struct{ modules, refused, invalid, actions int }

func TestSpecification(t *testing.T) { //nolint:tparallel // the counts of the parts are added up
	t.Parallel()
	dir := specDirectory(t)
	files, err := filepath.Glob(filepath.Join(dir, "v2", "testdata", "*.json"))
	require.NoError(t, err)
	require.Greater(t, len(files), 100)
	var total specCount
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".json"), func(t *testing.T) { compareSpec(t, path, &total) })
	}
	t.Logf("%d modules of which %d import what no guest may and %d are invalid, %d actions", total.modules, total.refused, total.invalid, total.actions)
	require.Greater(t, total.modules-total.refused-total.invalid, 1_000)
	require.Greater(t, total.actions, 40_000)
}

// specDirectory returns the directory of the tests in the Go module of wazero.
func specDirectory(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/tetratelabs/wazero").Output()
	require.NoError(t, err)
	return filepath.Join(strings.TrimSpace(string(out)), "internal", "integration_test", "spectest")
}

// compareSpec runs a file three times: without a meter, with fuel given once, and with fuel given in small slices.
func compareSpec(t *testing.T, path string, total *specCount) {
	t.Helper()
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	var file specFile
	require.NoError(t, json.Unmarshal(raw, &file))
	plain, rich, poor := newSpecWorld(t, false, 0), newSpecWorld(t, true, math.MaxInt64>>8), newSpecWorld(t, true, 3)
	worlds := []*specWorld{plain, rich, poor}
	defer func() {
		for _, w := range worlds {
			require.NoError(t, w.runtime.Close(context.Background()))
		}
	}()
	for i := range file.Commands {
		c := &file.Commands[i]
		at := fmt.Sprintf("%s:%d", filepath.Base(path), c.Line)
		switch c.Type {
		case "module", "assert_uninstantiable", "assert_unlinkable":
			total.modules++
			code, err := os.ReadFile(filepath.Join(filepath.Dir(path), c.Filename))
			require.NoError(t, err)
			m, refused := preflight.Check(code, preflight.Default())
			if refused != nil {
				total.refused++
				for _, w := range worlds {
					w.last = nil
				}
				continue
			}
			want := plain.instantiate(t, c.Name, code, m)
			if want != "" {
				total.invalid++
			}
			require.Equal(t, want, rich.instantiate(t, c.Name, code, m), at)
			require.Equal(t, want, poor.instantiate(t, c.Name, code, m), at)
		case "action", "assert_return", "assert_trap", "assert_exhaustion":
			results, failure, _ := plain.invoke(t, &c.Action)
			if failure == "no module" {
				continue
			}
			total.actions++
			got, failed, fuel := rich.invoke(t, &c.Action)
			require.Equal(t, failure, failed, at)
			require.Equal(t, results, got, at)
			got, failed, again := poor.invoke(t, &c.Action)
			require.Equal(t, failure, failed, at)
			require.Equal(t, results, got, at)
			if failure == "" {
				require.Equal(t, fuel, again, "%s: fuel does not depend on how it is given", at)
			}
		}
	}
}
