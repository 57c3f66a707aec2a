package emit

import (
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/internal/wasmbin"
)

// Code is a piece of a function's body.
type Code = []byte

// Instructions.
var (
	Trap   = Code{0x00}
	End    = Code{0x0b}
	Return = Code{0x0f}
	Drop   = Code{0x1a}
	Grow   = Code{0x40, 0x00} // memory.grow
	Equal  = Code{0x46}       // of two i32
)

// The codes of value types.
const (
	I32 = wasmbin.I32
	I64 = wasmbin.I64
)

// Number pushes a constant of 32 bits.
func Number(v int) Code { return wasmbin.I32Const(v) }

// Long pushes a constant of 64 bits.
func Long(v int64) Code { return wasmbin.I64Const(v) }

// Call calls a function by its index.
func Call(index int) Code { return wasmbin.Indexed(wasmbin.OpCall, index) }

// Get reads a local variable. Variable 0 is the parameter of a hook; 1 and 2 are free.
func Get(local int) Code { return wasmbin.Indexed(wasmbin.OpLocalGet, local) }

// Set writes a local variable.
func Set(local int) Code { return wasmbin.Indexed(wasmbin.OpLocalSet, local) }

// LoadGlobal reads the global variable. A module has only one, an i32 that lasts as long as the instance.
func LoadGlobal() Code { return Code{0x23, 0} }

// StoreGlobal writes the global variable.
func StoreGlobal() Code { return Code{0x24, 0} }

// Seq joins pieces of code.
func Seq(pieces ...Code) Code { return slices.Concat(pieces...) }

// When takes an i32, and runs code if it is not 0.
func When(pieces ...Code) Code { return Seq(Code{0x04, 0x40}, Seq(pieces...), End) }

// Choose takes an i32, and runs yes if it is not 0 and no otherwise.
func Choose(yes, no Code) Code { return Seq(Code{0x04, 0x40}, yes, Code{0x05}, no, End) }

// Loop repeats code forever, unless the code returns.
func Loop(pieces ...Code) Code { return Seq(Code{0x03, 0x40}, Seq(pieces...), Code{0x0c, 0x00}, End) }

// Repeat writes code n times.
func Repeat(n int, pieces ...Code) Code { return slices.Repeat(Seq(pieces...), n) }

// Status takes the return value of next or host_call, and leaves its status.
func Status() Code { return Code{0x42, 32, 0x87, 0xa7} } // i64.const 32, i64.shr_s, i32.wrap_i64

// Is takes an i32, and leaves 1 if it equals v and 0 otherwise.
func Is(v int) Code { return Seq(Number(v), Equal) }

// Not takes an i32, and leaves 1 if it is 0 and 0 otherwise.
func Not() Code { return Code{0x45} }

// Expect takes the return value of next or host_call, and traps unless it has this status.
func Expect(want abi.Status) Code { return Seq(Status(), Number(int(want)), Code{0x47}, When(Trap)) }

// Exit returns a number from the hook.
func Exit(v int) Code { return Seq(Number(v), Return) }
