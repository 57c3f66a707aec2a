package certify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tetratelabs/wazero"                                //nolint:depguard // the kit is a host of its own
	"github.com/tetratelabs/wazero/api"                            //nolint:depguard // the kit is a host of its own
	"github.com/tetratelabs/wazero/experimental"                   //nolint:depguard // the kit is a host of its own
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1" //nolint:depguard // the kit is a host of its own

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin/anatomy"
	"github.com/agenthost/agenthost/host/plugin/meter"
	"github.com/agenthost/agenthost/host/plugin/preflight"
)

const wasiModule = "wasi_snapshot_preview1"

// machine is a compiled module with its imports.
type machine struct {
	runtime wazero.Runtime
	module  wazero.CompiledModule
	info    *preflight.Module
	script  []byte // the input of _initialize
}

// newMachine compiles a module. The module can reach only the imports of the ABI, and a WASI without access to the
// system.
func newMachine(ctx context.Context, code []byte) (*machine, error) {
	limits := preflight.Default()
	info, err := preflight.Check(code, limits)
	if err != nil {
		return nil, fmt.Errorf("module: %w", err)
	}
	_, script, err := anatomy.CutScript(code)
	if err != nil {
		return nil, fmt.Errorf("module: %w", err)
	}
	m := &machine{info: info, script: script}
	m.runtime = wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigCompiler().WithCoreFeatures(api.CoreFeaturesV2))
	if err := m.instantiateImports(ctx); err != nil {
		return nil, errors.Join(err, m.close(ctx))
	}
	return m, nil
}

// compile compiles the module with a meter.
func (m *machine) compile(ctx context.Context, code []byte) (err error) {
	limits := preflight.Default()
	metered, err := meter.Rewrite(code, m.info, meter.Options{Table: limits.Table})
	if err != nil {
		return fmt.Errorf("module: %w", err)
	}
	if _, err := preflight.Check(metered, limits.Metered()); err != nil {
		return fmt.Errorf("module: %w", err)
	}
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("module: the compiler panicked: %v", v)
		}
	}()
	m.module, err = m.runtime.CompileModule(ctx, metered)
	return err
}

func (m *machine) close(ctx context.Context) error { return m.runtime.Close(ctx) }

func (m *machine) instantiateImports(ctx context.Context) error {
	b := m.runtime.NewHostModuleBuilder(abi.Module)
	for _, f := range importedFunctions() {
		b.NewFunctionBuilder().WithGoFunction(api.GoFunc(func(ctx context.Context, stack []uint64) {
			f.call(frameOf(ctx), stack)
		}), f.params, f.results).Export(f.name)
	}
	if _, err := b.Instantiate(ctx); err != nil {
		return err
	}
	b = m.runtime.NewHostModuleBuilder(meter.Module)
	b.NewFunctionBuilder().WithGoFunction(api.GoFunc(func(ctx context.Context, stack []uint64) {
		stack[0] = uint64(frameOf(ctx).tick(int64(stack[0])))
	}), []api.ValueType{api.ValueTypeI64}, []api.ValueType{api.ValueTypeI64}).Export(meter.Tick)
	if _, err := b.Instantiate(ctx); err != nil {
		return err
	}
	b = m.runtime.NewHostModuleBuilder(wasiModule)
	wasi_snapshot_preview1.NewFunctionExporter().ExportFunctions(b)
	b.NewFunctionBuilder().WithGoFunction(api.GoFunc(func(ctx context.Context, stack []uint64) {
		frameOf(ctx).stop(faultExit, fmt.Sprintf("it called proc_exit(%d)", uint32(stack[0])))
	}), []api.ValueType{api.ValueTypeI32}, nil).Export("proc_exit")
	_, err := b.Instantiate(ctx)
	return err
}

// wasiType returns the type of a WASI function, or false if WASI has no function with that name.
func (m *machine) wasiType(name string) (params, results []api.ValueType, ok bool) {
	def, ok := m.runtime.Module(wasiModule).ExportedFunctionDefinitions()[name]
	if !ok {
		return nil, nil, false
	}
	return def.ParamTypes(), def.ResultTypes(), true
}

// exported returns the type of an exported function, or false if the module does not export it.
func (m *machine) exported(name string) (params, results []api.ValueType, ok bool) {
	for _, e := range m.info.Exports {
		if e.Name == name && e.Kind == preflight.KindFunction {
			t, _ := m.info.FunctionType(e.Index)
			return m.info.Types[t].Params, m.info.Types[t].Results, true
		}
	}
	return nil, nil, false
}

// instance is one instance of the module.
type instance struct {
	machine *machine
	module  api.Module
	memory  *memory
	fuel    api.MutableGlobal
	frame   *Frame // the current frame
	served  int    // number of hook calls
}

type frameKey struct{}

func frameOf(ctx context.Context) *Frame {
	i, _ := ctx.Value(frameKey{}).(*instance)
	return i.frame
}

// newInstance makes an instance and calls _initialize, if there is one.
func (m *machine) newInstance(ctx context.Context) (*instance, *Frame) {
	i := &instance{machine: m, memory: &memory{limit: memoryLimit}}
	f := i.begin("instantiate", nil, nil)
	clock, random := &f.clock, &f.random
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions().
		WithWalltime(func() (int64, int32) { return i.frame.clock.walltime() }, 1).
		WithNanotime(func() int64 { return i.frame.clock.nanotime() }, 1).
		WithNanosleep(func(ns int64) { i.frame.clock.sleep(ns) }).
		WithRandSource(randomReader{i}).WithStdout(output{i}).WithStderr(output{i})
	clock.start(0)
	random.start(0)
	ctx = context.WithValue(ctx, frameKey{}, i)
	module, err := m.runtime.InstantiateModule(experimental.WithMemoryAllocator(ctx, i.memory), m.module, config)
	if err != nil {
		f.end(err)
		return nil, f
	}
	i.module = module
	i.fuel, _ = module.ExportedGlobal(meter.Fuel).(api.MutableGlobal)
	if initialize := module.ExportedFunction(abi.Initialize); initialize != nil {
		f = i.begin(abi.Initialize, m.script, nil)
		if _, err := initialize.Call(ctx); err != nil {
			f.end(err)
			_ = module.Close(ctx)
			return nil, f
		}
	}
	return i, f
}

// call calls an export. A frame with answers serves a hook; one without is part of loading the plugin.
func (i *instance) call(ctx context.Context, export string, input []byte, h *answers) *Frame {
	f := i.begin(export, input, h)
	function := i.module.ExportedFunction(export)
	var params []uint64
	if export != abi.ExportDescribe {
		params = []uint64{uint64(len(input))}
	}
	results, err := function.Call(context.WithValue(ctx, frameKey{}, i), params...)
	if err != nil {
		f.end(err)
		return f
	}
	f.Code = int32(results[0])
	f.checkf("frame.return", f.Code == abi.ReturnNothing || f.Code == abi.ReturnResult, "it returned %d", f.Code)
	if f.Code == abi.ReturnResult {
		f.checkf("frame.written", f.Wrote, "it returned 1 without a write")
	}
	return f
}

func (i *instance) begin(export string, input []byte, h *answers) *Frame {
	f := &Frame{Export: export, Input: input, answers: h, instance: i, started: time.Now(), allowed: loadFuel}
	i.frame = f
	i.memory.refused = false
	if h != nil {
		f.allowed = hookFuel
		f.clock.start(h.now)
		f.random.start(h.seed)
	}
	if i.fuel != nil {
		i.fuel.Set(0)
	}
	return f
}

func (i *instance) close(ctx context.Context) {
	if i != nil {
		_ = i.module.Close(ctx)
	}
}

// signature writes the type of a function in the notation of SPEC.md.
func signature(params, results []api.ValueType) string {
	names := func(types []api.ValueType) string {
		out := make([]string, len(types))
		for i, t := range types {
			out[i] = api.ValueTypeName(t)
		}
		return strings.Join(out, ", ")
	}
	return "(" + names(params) + ") -> (" + names(results) + ")"
}

func sameTypes(a, b []api.ValueType) bool { return slices.Equal(a, b) }
