package plugin

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/agenthost/agenthost/host/plugin/internal/contract"
)

// The WASI that guests see has no files, environment, arguments or sockets. Its clock and its random numbers depend only on
// the input of the call, so that equal calls can give equal results.

// instantiateWASI creates wazero's WASI. It replaces the functions whose time or memory the guest could control without
// limit, and makes exit leave a record.
func instantiateWASI(ctx context.Context, r wazero.Runtime) error {
	b := r.NewHostModuleBuilder(wasiModule)
	wasi_snapshot_preview1.NewFunctionExporter().ExportFunctions(b)
	for _, f := range ownWASI() {
		b.NewFunctionBuilder().WithGoFunction(api.GoFunc(f.Call), f.Params, f.Results).Export(f.Name)
	}
	_, err := b.Instantiate(ctx)
	return err
}

// ownWASI returns the WASI functions that the host implements itself.
func ownWASI() []contract.Function {
	own := wasiFunctions()
	functions := make([]contract.Function, 0, len(own)+1)
	for _, f := range own {
		functions = append(functions, contract.Function{
			Module: wasiModule, Name: f.name, Params: f.params, Results: []api.ValueType{i32},
			Call: func(ctx context.Context, stack []uint64) { stack[0] = uint64(f.call(instanceOf(ctx), stack)) },
		})
	}
	return append(functions, contract.Function{
		Module: wasiModule, Name: "proc_exit", Params: []api.ValueType{i32},
		Call: func(ctx context.Context, stack []uint64) {
			instanceOf(ctx).stop(KindExit, fmt.Sprintf("it exited with the code %d", uint32(stack[0])))
		},
	})
}

// wasiDefinitions returns the WASI functions that a module may import, by name.
var wasiDefinitions = sync.OnceValue(func() map[string]api.FunctionDefinition {
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	defer func() { _ = r.Close(ctx) }() // nothing is open in it
	b := r.NewHostModuleBuilder(wasiModule)
	wasi_snapshot_preview1.NewFunctionExporter().ExportFunctions(b)
	module, err := b.Compile(ctx)
	if err != nil {
		panic(err) // these are wazero's own functions
	}
	return module.ExportedFunctions()
})

// clock is the virtual clock: it starts at the call's time, and advances when the guest sleeps or reads it, so that a guest
// that waits for it to advance does not wait forever.
type clock struct{ now uint64 }

// tick is how far a reading advances the clock, in nanoseconds.
const tick = 1000

func (c *clock) start(now uint64) { c.now = now }

func (c *clock) walltime() (sec int64, nsec int32) {
	now := c.nanotime()
	return now / 1e9, int32(now % 1e9)
}

func (c *clock) nanotime() int64 {
	now := c.now
	c.now += tick
	return int64(now)
}

func (c *clock) sleep(ns int64) {
	if ns > 0 {
		c.now += uint64(ns)
	}
}

// random is WASI's source of random numbers, seeded for each call. It is not a source of secrets.
type random struct {
	source rand.PCG
	rest   uint64 // unused bytes of the last number
	have   int
}

func (r *random) start(seed uint64) {
	r.source.Seed(seed, 0x61676e74686f7374)
	r.have = 0
}

// Read fills b. No guest reads from it through wazero, which would otherwise make and seed a source of its own for each instance.
func (r *random) Read(b []byte) (int, error) {
	r.fill(b)
	return len(b), nil
}

// fill fills b.
func (r *random) fill(b []byte) {
	for n := range b {
		if r.have == 0 {
			r.rest, r.have = r.source.Uint64(), 8
		}
		b[n] = byte(r.rest)
		r.rest >>= 8
		r.have--
	}
}
