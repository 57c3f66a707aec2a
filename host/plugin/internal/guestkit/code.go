package guestkit

import (
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/internal/wasmbin"
)

// Code is a piece of a function's body.
type Code = []byte

// Instructions.
var (
	Trap    = Code{0x00}
	Nop     = Code{0x01}
	End     = Code{0x0b}
	Return  = Code{0x0f}
	Drop    = Code{0x1a}
	Load32  = Code{0x28, 0x02, 0x00}
	Store32 = Code{0x36, 0x02, 0x00}
	Size    = Code{0x3f, 0x00}             // memory.size
	Grow    = Code{0x40, 0x00}             // memory.grow
	Equal   = Code{0x46}                   // of two numbers of 32 bits
	Differ  = Code{0x47}                   // of two numbers of 32 bits
	Add     = Code{0x6a}                   // of two numbers of 32 bits
	Copy    = Code{0xfc, 0x0a, 0x00, 0x00} // memory.copy
	Fill    = Code{0xfc, 0x0b, 0x00}       // memory.fill
	Nothing = I32(0)                       // the return value of a hook without a result
)

// I32 leaves a number of 32 bits.
func I32(v int) Code { return wasmbin.I32Const(v) }

// I64 leaves a number of 64 bits.
func I64(v int64) Code { return wasmbin.I64Const(v) }

// Call calls a function: an import, or one of the module.
func Call(function int) Code { return wasmbin.Indexed(wasmbin.OpCall, function) }

// Get leaves the value of a variable. The parameters of a function are its first variables.
func Get(local int) Code { return wasmbin.Indexed(wasmbin.OpLocalGet, local) }

// Set sets a variable.
func Set(local int) Code { return wasmbin.Indexed(wasmbin.OpLocalSet, local) }

// Tee sets a variable and leaves its value.
func Tee(local int) Code { return wasmbin.Indexed(wasmbin.OpLocalTee, local) }

// Seq joins pieces of code.
func Seq(pieces ...Code) Code { return slices.Concat(pieces...) }

// Repeat repeats a piece of code n times.
func Repeat(n int, piece ...byte) Code { return slices.Repeat(piece, n) }

// Block is a block without a value.
func Block(pieces ...Code) Code { return enclosed(wasmbin.OpBlock, pieces) }

// Loop is a loop without a value. It runs once, unless a branch goes back to its beginning.
func Loop(pieces ...Code) Code { return enclosed(wasmbin.OpLoop, pieces) }

// When runs a piece of code if the number on the stack is not 0.
func When(pieces ...Code) Code { return enclosed(wasmbin.OpIf, pieces) }

func enclosed(op byte, pieces []Code) Code { return Seq(Code{op, 0x40}, Seq(pieces...), End) }

// Forever is an endless loop.
func Forever(pieces ...Code) Code { return Loop(Seq(pieces...), wasmbin.Indexed(wasmbin.OpBr, 0)) }

// Turns is a loop of n turns that counts in a variable.
func Turns(n, local int, pieces ...Code) Code {
	return Seq(I32(n), Set(local), Loop(Seq(pieces...), Get(local), I32(-1), Add, Tee(local), wasmbin.Indexed(wasmbin.OpBrIf, 0)))
}

// Poke stores a number of 32 bits.
func Poke(at, value int) Code { return Seq(I32(at), I32(value), Store32) }

// Status takes the return value of next or host_call, and leaves its upper half, the status.
func Status() Code { return Seq(I64(32), Code{0x87, 0xa7}) }

// Expect takes the return value of next or host_call, and traps unless its upper half is this status.
func Expect(want abi.Status) Code { return Seq(Status(), I32(int(want)), Differ, When(Trap)) }
