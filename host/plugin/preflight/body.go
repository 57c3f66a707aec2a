package preflight

import (
	"time"

	"github.com/agenthost/agenthost/internal/wasmbin"
)

// bodies reads the functions.
func (c *checker) bodies() {
	at := c.At()
	n := c.count("bodies of functions", 2, c.limits.Functions)
	if n != len(c.module.Functions) {
		c.Failf(at, "%d functions have %d bodies", len(c.module.Functions), n)
		return
	}
	f := &function{checker: c}
	whole := c.Cursor
	for i := range n {
		at := whole.At()
		size := int(whole.U32())
		if size > c.limits.Body && whole.Left() >= size {
			c.refusef(Limit, at, "the body of a function has %d bytes; %d are allowed", size, c.limits.Body)
		}
		c.Cursor = whole.Part(size)
		f.read(c.module.Types[c.module.Functions[i]])
		part := c.Cursor
		c.Cursor = whole
		whole.Join(part, "the body of a function")
		if !whole.More() && i+1 < n {
			break
		}
	}
}

// function is the function being read.
type function struct {
	*checker

	blocks   []block // the open ones; the first is the function itself
	locals   int     // including parameters
	opened   int     // blocks
	branches int     // counting each label of a br_table
	joined   int     // values that meet in a block: what branches and blocks carry, and for a loop every local variable
	passed   int     // parameters and results of calls
	in       wasmbin.Instruction
}

// block is a block, loop or if, or the whole function.
type block struct {
	op      uint16
	carried int // values that a branch to it carries
}

// Costs of a function's parts, in nanoseconds on a core of 2.5 GHz, measured with wazero 1.12: some of its passes are
// quadratic.
const (
	costByte     = 250
	costBlock    = 15  // for each pair of blocks
	costBranch   = 7   // for each pair of branches
	costJoined   = 1   // for each pair of joined values
	costVariable = 600 // for each block and local variable
	costPassed   = 2000
)

// cost estimates how long the compiler takes for the function.
func (f *function) cost(size int) time.Duration {
	square := func(n int) int { return n * n }
	return time.Duration(costByte*size + costBlock*square(f.opened) + costBranch*square(f.branches) + costJoined*square(f.joined) +
		costVariable*f.opened*f.locals + costPassed*f.passed)
}

// spend subtracts the cost of a function from what the module may cost.
func (f *function) spend(at int) {
	cost := f.cost(f.At() - at)
	f.compile -= cost
	if f.compile < 0 {
		f.refusef(Limit, at, "the module would take too long to compile; the function here takes %v by estimate, with %d blocks, "+
			"%d branches, %d local variables and %d values passed in calls",
			cost.Round(time.Millisecond), f.opened, f.branches, f.locals, f.passed)
	}
}

func (f *function) read(t wasmbin.FuncType) {
	start := f.At()
	f.blocks, f.opened, f.branches, f.joined, f.passed = f.blocks[:0], 0, 0, 0, 0
	declared := f.variables()
	f.locals = declared + len(t.Params)
	f.limit(start, f.locals, f.limits.Locals, "parameters and local variables of a function")
	b := Body{Start: start, Code: f.At(), Locals: declared}
	f.blocks = append(f.blocks, block{carried: len(t.Results)})
	for len(f.blocks) > 0 && f.Err() == nil {
		f.Instruction(&f.in)
		if f.Err() == nil {
			f.instruction()
		}
	}
	b.End = f.At()
	f.spend(start)
	f.module.Bodies = append(f.module.Bodies, b)
}

// variables reads the local variables, in groups of one type each.
func (f *function) variables() int {
	total := 0
	for range f.Count("groups of local variables", 2) {
		at := f.At()
		n := f.U32()
		f.ValueType()
		if uint64(n) > uint64(f.limits.Locals) {
			f.refusef(Limit, at, "%d local variables in a function; %d are allowed", n, f.limits.Locals)
			return 0
		}
		total += int(n)
		f.limit(at, total, f.limits.Locals, "local variables in a function")
	}
	return total
}

// instruction counts the work that it causes for the compiler.
func (f *function) instruction() {
	in := &f.in
	switch in.Op {
	case wasmbin.OpBlock, wasmbin.OpLoop, wasmbin.OpIf:
		f.open()
	case wasmbin.OpElse:
		if top := &f.blocks[len(f.blocks)-1]; top.op != wasmbin.OpIf {
			f.Failf(in.Start, "an else without an if")
		} else {
			top.op = wasmbin.OpElse
		}
	case wasmbin.OpEnd:
		f.blocks = f.blocks[:len(f.blocks)-1]
	case wasmbin.OpBr, wasmbin.OpBrIf:
		f.branch(in.Index)
	case wasmbin.OpReturn:
		f.branch(uint32(len(f.blocks) - 1))
	case wasmbin.OpBrTable:
		f.limit(in.Start, len(in.Targets), f.limits.Targets, "labels in a br_table")
		for _, label := range in.Targets {
			f.branch(label)
		}
	case wasmbin.OpCall:
		if t, ok := f.module.FunctionType(in.Index); ok {
			f.call(t)
		} else {
			f.Failf(in.Start, "it calls the function %d, which does not exist", in.Index)
		}
	case wasmbin.OpCallIndirect:
		f.call(in.Index)
	case wasmbin.OpRefFunc:
		if _, ok := f.module.FunctionType(in.Index); !ok {
			f.Failf(in.Start, "it refers to the function %d, which does not exist", in.Index)
		}
		f.module.Referenced[in.Index] = true
	case wasmbin.OpLocalGet, wasmbin.OpLocalSet, wasmbin.OpLocalTee:
		f.present(in.Index, f.locals, "local variable")
	case wasmbin.OpGlobalGet, wasmbin.OpGlobalSet:
		f.present(in.Index, len(f.module.Globals), "global")
	case wasmbin.OpTableGet, wasmbin.OpTableSet, wasmbin.OpTableSize, wasmbin.OpTableGrow, wasmbin.OpTableFill:
		f.present(in.Index, len(f.module.Tables), "table")
		f.module.Lasting = f.module.Lasting || (in.Op != wasmbin.OpTableGet && in.Op != wasmbin.OpTableSize)
	case wasmbin.OpTableInit, wasmbin.OpTableCopy, wasmbin.OpDataDrop, wasmbin.OpElemDrop:
		f.module.Lasting = true
	}
}

// present refuses an index that does not exist: after metering, it might.
func (f *function) present(index uint32, n int, what string) {
	if int64(index) >= int64(n) {
		f.Failf(f.in.Start, "the %s %d does not exist", what, index)
	}
}

// open records a block. A loop makes the compiler join every local variable, and any block its parameters and results.
func (f *function) open() {
	in := &f.in
	takes, leaves := 0, 0
	switch {
	case in.Block >= int64(len(f.module.Types)):
		f.Failf(in.Start, "a block has the type %d, which does not exist", in.Block)
		return
	case in.Block >= 0:
		t := f.module.Types[in.Block]
		takes, leaves = len(t.Params), len(t.Results)
	case in.Block != -0x40:
		leaves = 1
	}
	b := block{op: in.Op, carried: leaves}
	f.joined += takes + leaves
	if in.Op == wasmbin.OpLoop {
		b.carried = takes
		f.joined += f.locals
	}
	f.blocks = append(f.blocks, b)
	f.opened++
	f.limit(in.Start, len(f.blocks)-1, f.limits.Nesting, "blocks inside each other")
}

func (f *function) branch(label uint32) {
	if int(label) >= len(f.blocks) {
		f.Failf(f.in.Start, "a branch leads to the label %d, which does not exist", label)
		return
	}
	f.branches++
	f.joined += f.blocks[len(f.blocks)-1-int(label)].carried
}

func (f *function) call(index uint32) {
	if int(index) >= len(f.module.Types) {
		f.Failf(f.in.Start, "it calls a function of the type %d, which does not exist", index)
		return
	}
	t := f.module.Types[index]
	f.passed += len(t.Params) + len(t.Results)
}
