package anatomy

import (
	"math"

	"github.com/agenthost/agenthost/host/plugin/internal/wasmbin"
	"github.com/agenthost/agenthost/host/plugin/preflight"
)

// stack tells how large the stack in the memory is. A linker that puts it first, as those of TinyGo and Rust do, lets the
// stack pointer, which is the first global, begin where the data do. 0: the module is not of that shape.
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

// stackPointer is what the first global starts with, if that is a variable address; 0 if it is none.
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

// lowestData is the lowest address that data are put at.
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
