package hostile

import (
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/internal/wasmbin"
)

// code is a piece of a function's body.
type code = []byte

// Instructions.
var (
	trap    = code{0x00}
	nop     = code{0x01}
	end     = code{0x0b}
	drop    = code{0x1a}
	grow    = code{0x40, 0x00}
	fill    = code{0xfc, 0x0b, 0x00}
	copying = code{0xfc, 0x0a, 0x00, 0x00}
	store32 = code{0x36, 0x02, 0x00}
	load32  = code{0x28, 0x02, 0x00}
	add     = code{0x6a}
	nothing = i32(0) // the return value of a hook without a result
)

// Instructions with a constant or an index.
var i32, i64, op = wasmbin.I32Const, wasmbin.I64Const, wasmbin.Indexed

func call(function int) code { return op(wasmbin.OpCall, function) }
func get(local int) code     { return op(wasmbin.OpLocalGet, local) }
func set(local int) code     { return op(wasmbin.OpLocalSet, local) }

// seq joins pieces of code.
func seq(pieces ...code) code { return slices.Concat(pieces...) }

// again repeats a piece of code n times.
func again(n int, piece ...byte) code { return slices.Repeat(piece, n) }

// block, loop and when are blocks without a value.
func block(pieces ...code) code { return seq(code{0x02, 0x40}, seq(pieces...), end) }
func loop(pieces ...code) code  { return seq(code{0x03, 0x40}, seq(pieces...), end) }
func when(pieces ...code) code  { return seq(code{0x04, 0x40}, seq(pieces...), end) }

// forever returns an endless loop.
func forever(pieces ...code) code { return loop(seq(pieces...), code{0x0c, 0x00}) }

// turns returns a loop of n turns that counts in a variable.
func turns(n, variable int, pieces ...code) code {
	return seq(i32(n), set(variable), loop(seq(pieces...), get(variable), i32(-1), add, code{0x22}, leb(variable), code{0x0d, 0x00}))
}

// poke stores a number of 32 bits.
func poke(at, value int) code { return seq(i32(at), i32(value), store32) }

// expect takes the return value of next or host_call, and traps unless its upper half is this status.
func expect(want abi.Status) code {
	return seq(code{0x42, 32, 0x87, 0xa7}, i32(int(want)), code{0x47}, when(trap))
}

// errno takes the return value of a WASI function, and traps unless it is one of these.
func errno(wanted ...int) code {
	out := set(0)
	for _, want := range wanted {
		out = seq(out, get(0), i32(want), code{0x46}) // eq
	}
	return seq(out, again(len(wanted)-1, 0x72), code{0x45}, when(trap)) // or, eqz
}
