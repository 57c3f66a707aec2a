package anatomy

import (
	"math"

	"github.com/agenthost/agenthost/host/plugin/preflight"
	"github.com/agenthost/agenthost/internal/wasmbin"
)

// stack returns the size of the stack in the memory. If a linker puts the stack first, as those of TinyGo and Rust do, the
// stack pointer, which is the first global, starts where the data start. stack returns 0 if the module does not have that
// shape.
func stack(module []byte, m *preflight.Module) int {
	var pointer int64
	lowest := int64(math.MaxInt64)
	for _, s := range m.Sections {
		switch c := wasmbin.NewPart(module, s.Start, s.End); s.ID {
		case preflight.SectionGlobal:
			pointer = stackPointer(module, c)
		case preflight.SectionData:
			lowest = lowestData(module, c)
		}
	}
	if pointer <= 0 || pointer > lowest || m.Memory == nil || pointer > int64(m.Memory.Min)<<16 {
		return 0
	}
	return int(pointer)
}

// stackPointer returns the initial value of the first global if it is a mutable address, and 0 otherwise.
func stackPointer(module []byte, c *wasmbin.Cursor) int64 {
	if c.Count("globals", 4) == 0 {
		return 0
	}
	kind, mutable := c.ValueType(), c.Byte()
	value, ok := address(module, c)
	if !ok || kind != wasmbin.TypeI32 || mutable == 0 {
		return 0
	}
	return value
}

// lowestData returns the lowest address of any data.
func lowestData(module []byte, c *wasmbin.Cursor) int64 {
	lowest := int64(math.MaxInt64)
	for range c.Count("segments of data", 2) {
		form := c.U32()
		if form == 2 {
			c.U32()
		}
		if form != 1 {
			if at, ok := address(module, c); ok {
				lowest = min(lowest, at)
			}
		}
		c.Bytes(c.Count("bytes of data", 1))
	}
	return lowest
}

// address reads a constant expression that may be an address.
func address(module []byte, c *wasmbin.Cursor) (int64, bool) {
	in := c.Constant()
	if in.Op != wasmbin.OpI32Const {
		return 0, false
	}
	return int64(uint32(wasmbin.NewPart(module, in.Start+1, c.At()).S32())), true
}
