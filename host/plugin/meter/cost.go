package meter

import "github.com/agenthost/agenthost/internal/wasmbin"

// Version is the version of the cost table. Different tables give different numbers for equal calls, so the version is part of
// the ABI: changing it requires a minor version.
const Version = 1

// The cost table. An instruction costs 1, with these exceptions.
const (
	costDivide  = 10  // integer division and remainder; square roots and divisions of floats
	costCall    = 3   // call, in addition to the callee's own cost
	costVia     = 8   // call_indirect, in addition to the callee's own cost
	costImport  = 60  // call of the host
	costEntry   = 3   // entering a function
	costGrow    = 500 // memory.grow, in addition to its pages
	costBulk    = 20  // an operation on many bytes or elements, in addition to its size
	bytesShift  = 4   // memory.fill, copy, init: 1 per 16 bytes
	pageShift   = 12  // memory.grow: 4,096 per page of 64 KiB, as if it were filled
	slotsPerOne = 8   // entering a function: 1 per this many parameters and local variables
)

// window is how much uncharged code may follow a charge: code after a branch is charged before the branch if it costs at
// most this much.
const window = 48

// costOf returns what an instruction costs, without calls and size-dependent parts.
func costOf(op uint16) int64 {
	switch op {
	case wasmbin.OpNop, wasmbin.OpBlock, wasmbin.OpLoop, wasmbin.OpElse, wasmbin.OpEnd:
		return 0
	case 0x6d, 0x6e, 0x6f, 0x70, // i32.div, rem
		0x7f, 0x80, 0x81, 0x82, // i64.div, rem
		0x91, 0x95, 0x9f, 0xa3, // f32.sqrt, f32.div, f64.sqrt, f64.div
		0xfde3, 0xfde7, 0xfdef, 0xfdf3: // the same for vectors
		return costDivide
	case wasmbin.OpMemoryGrow:
		return costGrow
	case wasmbin.OpMemoryInit, wasmbin.OpMemoryCopy, wasmbin.OpMemoryFill,
		wasmbin.OpTableInit, wasmbin.OpTableCopy, wasmbin.OpTableGrow, wasmbin.OpTableFill:
		return costBulk
	default:
		return 1
	}
}

// price converts a cost to fuel: a unit of fuel is eight simple instructions.
func price(cost int64) int64 { return (cost + 7) / 8 }
