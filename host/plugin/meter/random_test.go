package meter_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero/api"
	"pgregory.net/rapid"

	"github.com/agenthost/agenthost/host/plugin/meter"
	"github.com/agenthost/agenthost/host/plugin/preflight"
	"github.com/agenthost/agenthost/internal/wasmbin"
)

// Random modules of structured code run in three ways: unchanged, with a meter, and with counting code before each
// instruction that adds up its cost from the cost table. The charged fuel must be at least that count, and may exceed
// it only by the code that branches may skip.

// slack is how much the charge at a place where branches start or end may exceed the cost of the code that runs there, in eighths
// of a unit. It consists of the window of uncharged code, and rounding.
const slack = 48 + 7

// The globals of a random module.
const (
	globalSteps = iota // how many branches to loops and calls are left; at zero, a function returns
	globalLeast        // the count, in eighths of a unit
	globalMost         // the count with the slack
)

// piece is an instruction of a random module.
type piece struct {
	code   []byte
	cost   int
	place  bool // whether it has slack
	behind bool // whether it is counted after it runs
	sized  int  // local variable with the number of bytes that it fills, modulo 64; -1: it fills nothing
}

// randomFunction writes the body of a function. All values are i32.
type randomFunction struct {
	*rapid.T

	functions [][2]int // parameters and results of all functions
	self      [2]int
	pieces    []piece
	labels    []randomLabel // the open labels; the function's own is the first
	room      int           // instructions that it may still have
}

type randomLabel struct {
	carries int
	loop    bool
}

const (
	randomLocals = 3 // besides the parameters
	randomImport = 1 // number of functions before the first with a body
)

func (f *randomFunction) below(n int, what string) int { return rapid.IntRange(0, n-1).Draw(f.T, what) }

func (f *randomFunction) put(cost int, code ...byte) {
	f.pieces = append(f.pieces, piece{code: code, cost: cost, sized: -1})
}

// control writes an instruction that branches, or that is the target of branches.
func (f *randomFunction) control(cost int, code ...byte) {
	f.pieces = append(f.pieces, piece{code: code, cost: cost, place: true, behind: cost == 0, sized: -1})
}

// step takes a step, or returns.
func (f *randomFunction) step() {
	f.put(1, 0x23, globalSteps)
	f.put(1, 0x45)
	f.control(1, 0x04, 0x40)
	for range f.self[1] {
		f.put(1, 0x41, 9)
	}
	f.control(1, 0x0f)
	f.control(0, 0x0b)
	f.put(1, 0x23, globalSteps)
	f.put(1, 0x41, 1)
	f.put(1, 0x6b)
	f.put(1, 0x24, globalSteps)
}

// local returns the index of a random local variable.
func (f *randomFunction) local() byte { return byte(f.below(f.self[0]+randomLocals, "local")) }

// sequence writes code that takes the values on the stack and leaves this many results.
func (f *randomFunction) sequence(height, results int) {
	for f.below(10, "more") > 0 && f.room > 0 {
		f.room--
		height = f.instruction(height)
	}
	for ; height > results; height-- {
		f.put(1, 0x1a)
	}
	for ; height < results; height++ {
		f.put(1, 0x20, f.local())
	}
}

// instruction writes one or a few instructions, and returns the height of the stack after them.
func (f *randomFunction) instruction(height int) int {
	switch kind := f.below(20, "kind"); {
	case kind < 5:
		return f.nested(kind, height)
	case kind < 10:
		return f.branch(height)
	case kind == 10:
		return f.call(height)
	case kind == 11:
		x := f.local()
		f.put(1, 0x41, 0)
		f.put(1, 0x20, x)
		f.put(1, 0x20, x)
		f.put(1, 0x41, 63)
		f.put(1, 0x71)
		f.put(20, 0xfc, 11, 0)
		f.pieces[len(f.pieces)-1].sized = int(x)
		return height
	case kind == 13 && height >= 2:
		f.put(1, 0x41, 1)
		f.put(1, 0x72)  // or 1
		f.put(10, 0x6e) // divided by that
		return height - 1
	case kind == 14 && height >= 2:
		f.put(1, 0x6a)
		return height - 1
	case kind == 15 && height >= 1:
		f.put(1, 0x21, f.local())
		return height - 1
	case kind == 16 && height >= 1:
		f.put(1, 0x41, 63)
		f.put(1, 0x71)
		f.put(1, 0x2d, 0, 0) // a byte of the memory
		return height
	case kind == 17:
		for range f.below(50, "much") { // which has its own charge
			f.put(1, 0x20, f.local())
			f.put(1, 0x41, byte(f.below(64, "number")))
			f.put(1, 0x73)
			f.put(1, 0x21, f.local())
		}
		return height
	case kind == 18:
		f.put(1, 0x41, byte(f.below(64, "number")))
		return height + 1
	default:
		f.put(1, 0x20, f.local())
		return height + 1
	}
}

// nested writes a block, a loop or an if, with any type.
func (f *randomFunction) nested(kind, height int) int {
	if kind >= 3 {
		height = f.value(height)
		height--
	}
	params, results := f.below(min(height, 2)+1, "params"), f.below(5, "results")%3
	typ := byte(3*params + results)
	label := randomLabel{carries: results}
	switch kind {
	case 0:
		f.control(0, 0x02, typ)
	case 1, 2:
		f.control(0, 0x03, typ)
		label = randomLabel{carries: params, loop: true}
	default:
		f.control(1, 0x04, typ)
	}
	f.labels = append(f.labels, label)
	f.sequence(params, results)
	if kind == 3 || (kind == 4 && params != results) {
		f.control(0, 0x05)
		f.sequence(params, results)
	}
	f.labels = f.labels[:len(f.labels)-1]
	f.control(0, 0x0b)
	return height - params + results
}

// value ensures that there is a value on the stack.
func (f *randomFunction) value(height int) int {
	if height > 0 && f.below(2, "use") == 0 {
		return height
	}
	f.put(1, 0x20, f.local())
	return height + 1
}

// branch writes a branch to labels for which the stack has enough values.
func (f *randomFunction) branch(height int) int {
	kind := f.below(10, "branch")
	depth := f.below(len(f.labels), "depth")
	if kind == 0 {
		depth = len(f.labels) - 1
	}
	target := f.labels[len(f.labels)-1-depth]
	for ; height < target.carries; height++ {
		f.put(1, 0x20, f.local())
	}
	if target.loop {
		f.step()
	}
	switch {
	case kind == 0:
		f.control(1, 0x0f)
	case kind == 1:
		f.control(1, 0x0c, byte(depth))
	case kind < 4:
		f.table(depth, target)
	default:
		f.put(1, 0x20, f.local())
		f.control(1, 0x0d, byte(depth))
		return height
	}
	return 0 // the code after it is unreachable
}

// table writes a br_table to the label, and to others that carry as many values.
func (f *randomFunction) table(depth int, target randomLabel) {
	list := []byte{}
	for range f.below(4, "labels") {
		other := f.below(len(f.labels), "other")
		l := f.labels[len(f.labels)-1-other]
		if l.carries != target.carries {
			continue
		}
		if l.loop && !target.loop {
			f.step()
		}
		list = append(list, byte(other))
	}
	f.put(1, 0x20, f.local())
	f.put(1, 0x41, 3)
	f.put(1, 0x71)
	f.control(1, slices.Concat([]byte{0x0e, byte(len(list))}, list, []byte{byte(depth)})...)
}

// call writes a call of a random function, in any of the possible ways.
func (f *randomFunction) call(height int) int {
	f.step()
	callee := f.below(len(f.functions)+1, "callee") - 1
	if callee < 0 {
		f.put(1, 0x20, f.local())
		f.put(61, 0x10, 0) // the import
		return height
	}
	t := f.functions[callee]
	for ; height < t[0]; height++ {
		f.put(1, 0x20, f.local())
	}
	if f.below(2, "indirect") == 0 {
		f.put(4, 0x10, byte(callee+randomImport))
	} else {
		f.put(1, 0x41, byte(callee))
		f.put(9, 0x11, byte(3*t[0]+t[1]), 0)
	}
	return height - t[0] + t[1]
}

// body renders the function.
func (f *randomFunction) body(counted bool) []byte {
	var out []byte
	count := func(p *piece) {
		for global, n := range map[byte]int{globalLeast: p.cost, globalMost: p.cost + slack*btoi(p.place)} {
			out = wasmbin.AppendS64(append(out, 0x23, global, 0x42), int64(n))
			if p.sized >= 0 {
				out = append(out, 0x20, byte(p.sized), 0x41, 63, 0x71, 0xad, 0x42, 4, 0x88, 0x42, 3, 0x86, 0x7c)
			}
			out = append(out, 0x7c, 0x24, global)
		}
	}
	if counted {
		count(&piece{cost: 3 + (f.self[0]+f.self[1]+randomLocals)/8, place: true, sized: -1})
	}
	for i := range f.pieces {
		p := &f.pieces[i]
		if counted && !p.behind {
			count(p)
		}
		out = append(out, p.code...)
		if counted && p.behind {
			count(p)
		}
	}
	return wasmbin.Body(wasmbin.Locals(randomLocals, wasmbin.I32), out)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// randomModule makes a module, both unchanged and with counting code. Its functions are exported by their numbers.
func randomModule(t *rapid.T) (plain, counted []byte, functions [][2]int) {
	draw := rapid.IntRange(0, 2)
	for range rapid.IntRange(1, 4).Draw(t, "functions") {
		functions = append(functions, [2]int{draw.Draw(t, "params"), draw.Draw(t, "results")})
	}
	var types, kinds, exports, elements, bodies, countedBodies [][]byte
	for n := range 9 {
		types = append(types, slices.Concat([]byte{0x60}, vector(slices.Repeat([][]byte{{0x7f}}, n/3)...), vector(slices.Repeat([][]byte{{0x7f}}, n%3)...)))
	}
	for n, self := range functions {
		f := &randomFunction{T: t, functions: functions, self: self, labels: []randomLabel{{carries: self[1]}}, room: 60}
		f.sequence(0, self[1])
		kinds, elements = append(kinds, []byte{byte(3*self[0] + self[1])}), append(elements, []byte{byte(n + randomImport)})
		exports = append(exports, slices.Concat(name(string(rune('a'+n))), []byte{0, byte(n + randomImport)}))
		bodies, countedBodies = append(bodies, f.body(false)), append(countedBodies, f.body(true))
	}
	exports = append(exports, slices.Concat(name("memory"), []byte{2, 0}), slices.Concat(name("steps"), []byte{3, globalSteps}),
		slices.Concat(name("least"), []byte{3, globalLeast}), slices.Concat(name("most"), []byte{3, globalMost}))
	with := func(bodies [][]byte) []byte {
		return module(
			section(1, vector(types...)),
			section(2, vector(slices.Concat(name("spectest"), name("print_i32"), []byte{0, 3}))),
			section(3, vector(kinds...)), section(4, vector([]byte{0x70, 0, 8})), section(5, vector([]byte{0, 1})),
			section(6, vector([]byte{0x7f, 1, 0x41, 0, 0x0b}, []byte{0x7e, 1, 0x42, 0, 0x0b}, []byte{0x7e, 1, 0x42, 0, 0x0b})),
			section(7, vector(exports...)),
			section(9, vector(slices.Concat([]byte{0, 0x41, 0, 0x0b}, vector(elements...)))),
			section(10, vector(bodies...)),
		)
	}
	return with(bodies), with(countedBodies), functions
}

// load instantiates a module, which becomes the last one of the world.
func (w *specWorld) load(t *testing.T, rt *rapid.T, code []byte) {
	t.Helper()
	m, err := preflight.Check(code, preflight.Default())
	require.NoError(rt, err)
	require.Empty(rt, w.instantiate(t, "", code, m))
}

// ran is the outcome of a call of a random function.
type ran struct {
	results []uint64
	failure string
	steps   uint64
	memory  string
}

func (w *specWorld) random(function string, params []uint64, steps uint64) ran {
	global := w.last.ExportedGlobal("steps").(api.MutableGlobal) //nolint:forcetypeassert // of a test
	global.Set(steps)
	if w.meter {
		w.last.ExportedGlobal(meter.Fuel).(api.MutableGlobal).Set(0) //nolint:forcetypeassert // of a test
		w.budget.given = 0
	}
	out := ran{}
	results, err := w.last.ExportedFunction(function).Call(context.Background(), params...)
	if err != nil {
		out.failure = firstLine(err)
	}
	out.results, out.steps = results, global.Get()
	view, _ := w.last.Memory().Read(0, 256)
	out.memory = string(view)
	return out
}

// used returns the fuel of the last call.
func (w *specWorld) used() uint64 {
	return uint64(w.budget.given) - w.last.ExportedGlobal(meter.Fuel).Get()
}

// TestRandomModules compares the effects of random modules, and their charges.
func TestRandomModules(t *testing.T) {
	t.Parallel()
	plain, counting := newSpecWorld(t, false, 0), newSpecWorld(t, false, 0)
	rich, poor := newSpecWorld(t, true, math.MaxInt64>>8), newSpecWorld(t, true, 1)
	worlds := []*specWorld{plain, counting, rich, poor}
	t.Cleanup(func() {
		for _, w := range worlds {
			require.NoError(t, w.runtime.Close(context.Background()))
		}
	})
	rapid.Check(t, func(rt *rapid.T) {
		code, counted, functions := randomModule(rt)
		for _, w := range worlds {
			w.load(t, rt, map[bool][]byte{false: code, true: counted}[w == counting])
		}
		defer func() {
			for _, w := range worlds {
				require.NoError(rt, w.last.Close(context.Background()))
			}
		}()
		for n, f := range functions {
			for _, steps := range []uint64{0, 7, 200} {
				params := []uint64{1, steps}[:f[0]]
				function := string(rune('a' + n))
				want := plain.random(function, params, steps)
				for _, w := range worlds[1:] {
					require.Equal(rt, want, w.random(function, params, steps))
				}
				least, most := counting.last.ExportedGlobal("least").(api.MutableGlobal), counting.last.ExportedGlobal("most").(api.MutableGlobal) //nolint:forcetypeassert // of a test
				require.Empty(rt, want.failure)
				require.GreaterOrEqual(rt, 8*rich.used(), least.Get())
				require.LessOrEqual(rt, 8*rich.used(), most.Get())
				require.Equal(rt, rich.used(), poor.used(), "fuel does not depend on how it is given")
				least.Set(0)
				most.Set(0)
			}
		}
	})
}

// TestRandomRunawaysStop runs random modules without a limit on their steps. They must end, or use up their fuel.
func TestRandomRunawaysStop(t *testing.T) {
	t.Parallel()
	w := newSpecWorld(t, true, 100)
	w.budget.limit = 100_000
	t.Cleanup(func() { require.NoError(t, w.runtime.Close(context.Background())) })
	rapid.Check(t, func(rt *rapid.T) {
		code, _, functions := randomModule(rt)
		for n, f := range functions {
			w.load(t, rt, code)
			out := w.random(string(rune('a'+n)), []uint64{1, 2}[:f[0]], math.MaxUint32)
			require.NoError(rt, w.last.Close(context.Background()))
			require.Contains(rt, []string{"", errOutOfFuel.Error() + " (recovered by wazero)", "stack overflow"}, out.failure)
		}
	})
}
