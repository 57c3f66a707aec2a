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

// The WASI that guests see has no files, environment, arguments or sockets. Its clock and its random numbers follow
// from the input of the call alone, so that equal calls can give equal results.

// instantiateWASI makes wazero's WASI, with functions of the host's own where wazero's take as long as the guest likes,
// or as much memory, and with an exit that leaves a record.
func (p *Plugin) instantiateWASI(ctx context.Context) error {
	b := p.runtime.NewHostModuleBuilder(wasiModule)
	wasi_snapshot_preview1.NewFunctionExporter().ExportFunctions(b)
	for _, f := range ownWASI() {
		b.NewFunctionBuilder().WithGoFunction(api.GoFunc(f.Call), f.Params, f.Results).Export(f.Name)
	}
	_, err := b.Instantiate(ctx)
	return err
}

// ownWASI are the functions of WASI that the host has of its own.
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

// wasiDefinitions are the functions of WASI by their names: what a module may import of it.
var wasiDefinitions = sync.OnceValue(func() map[string]api.FunctionDefinition {
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	defer func() { _ = r.Close(ctx) }() // nothing is open in it
	b := r.NewHostModuleBuilder(wasiModule)
	wasi_snapshot_preview1.NewFunctionExporter().ExportFunctions(b)
	module, err := b.Compile(ctx)
	if err != nil {
		panic(err) // wazero's own functions
	}
	return module.ExportedFunctions()
})

// clock is the virtual clock: it starts at the call's time, and moves when the guest sleeps, or looks at it, so that a
// guest that waits for it to move does not wait for ever.
type clock struct{ now uint64 }

// tick is how far a look at the clock moves it, in nanoseconds.
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

// random is WASI's source of random numbers, seeded for each call. It is no source of secrets.
type random struct {
	source rand.PCG
	rest   uint64 // bytes of the last number that were not taken yet
	have   int
}

func (r *random) start(seed uint64) {
	r.source.Seed(seed, 0x61676e74686f7374)
	r.have = 0
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
