package meter_test

import (
	"slices"

	"github.com/agenthost/agenthost/internal/wasmbin"
)

// The pieces that the tests assemble modules of.
var (
	module, section, vector, name = wasmbin.Binary, wasmbin.Section, wasmbin.Vector, wasmbin.Name
)

// exporting returns a module with a memory and a function "run" (i32) -> i32. The function has this many i32 locals and
// this code.
func exporting(locals int, code ...byte) []byte {
	return module(
		section(1, vector([]byte{0x60, 1, 0x7f, 1, 0x7f})),
		section(3, vector([]byte{0})),
		section(5, vector([]byte{0, 2})),
		section(7, vector(slices.Concat(name("run"), []byte{0, 0}), slices.Concat(name("memory"), []byte{2, 0}))),
		section(10, vector(wasmbin.Body(wasmbin.Locals(locals, wasmbin.I32), code))),
	)
}

// counting returns a module that adds up the numbers to n.
func counting() []byte {
	return exporting(2, 0x03, 0x40, 0x20, 1, 0x20, 2, 0x6a, 0x21, 1, 0x20, 2, 0x41, 1, 0x6a, 0x22, 2, 0x20, 0, 0x48, 0x0d, 0, 0x0b, 0x20, 1)
}

// hashing returns a module that hashes n bytes.
func hashing() []byte {
	return exporting(2, 0x03, 0x40, 0x20, 1, 0x41, 31, 0x6c, 0x20, 2, 0x2d, 0, 0, 0x73, 0x21, 1, 0x20, 2, 0x41, 1, 0x6a, 0x22, 2, 0x20, 0, 0x48, 0x0d, 0, 0x0b, 0x20, 1)
}

// fib returns a module with a recursive Fibonacci function.
func fib() []byte {
	return exporting(0, 0x20, 0, 0x41, 2, 0x48, 0x04, 0x7f, 0x20, 0, 0x05, 0x20, 0, 0x41, 1, 0x6b, 0x10, 0, 0x20, 0, 0x41, 2, 0x6b, 0x10, 0, 0x6a, 0x0b)
}

// filling returns a module that fills n bytes.
func filling() []byte { return exporting(0, 0x41, 0, 0x41, 7, 0x20, 0, 0xfc, 11, 0, 0x41, 1) }

// growing returns a module that grows the memory by n pages.
func growing() []byte { return exporting(0, 0x20, 0, 0x40, 0, 0x1a, 0x41, 1) }

// branching returns a module that counts the even numbers below n, in blocks with long and short arms, and leaves by a
// return.
func branching() []byte {
	long := slices.Repeat([]byte{0x20, 1, 0x41, 0, 0x6a, 0x21, 1}, 20)
	return exporting(2, slices.Concat(
		[]byte{0x03, 0x40, 0x20, 2, 0x20, 0, 0x4e, 0x04, 0x40, 0x20, 1, 0x0f, 0x0b}, // loop; if i >= n return count
		[]byte{0x02, 0x40, 0x20, 2, 0x41, 1, 0x71, 0x0d, 0}, long,                   // block; br_if odd; …
		[]byte{0x20, 1, 0x41, 1, 0x6a, 0x21, 1, 0x0b}, // count++; end
		[]byte{0x20, 2, 0x41, 1, 0x6a, 0x21, 2, 0x0c, 0, 0x0b, 0x00},
	)...)
}

// tree returns a module with a tree of calls and no loop: each of n functions calls the next one twice.
func tree(n int) []byte {
	var functions, bodies [][]byte
	for i := range n {
		next := wasmbin.Indexed(wasmbin.OpCall, i+1)
		functions = append(functions, []byte{0})
		bodies = append(bodies, wasmbin.Body(nil, []byte{0x20, 0}, next, next))
	}
	functions, bodies = append(functions, []byte{0}), append(bodies, wasmbin.Body(nil, []byte{0x20, 0}))
	return module(section(1, vector([]byte{0x60, 1, 0x7f, 1, 0x7f})), section(3, vector(functions...)),
		section(7, vector(slices.Concat(name("run"), []byte{0, 0}))), section(10, vector(bodies...)))
}
