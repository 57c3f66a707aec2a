package wasmbin

// The value types of WebAssembly 2.0.
const (
	TypeI32       = 0x7f
	TypeI64       = 0x7e
	TypeF32       = 0x7d
	TypeF64       = 0x7c
	TypeV128      = 0x7b
	TypeFuncref   = 0x70
	TypeExternref = 0x6f
)

// FuncType is the type of a function. The slices are parts of the module.
type FuncType struct{ Params, Results []byte }

// ValueType reads a value type.
func (c *Cursor) ValueType() byte {
	at := c.at
	switch b := c.Byte(); b {
	case TypeI32, TypeI64, TypeF32, TypeF64, TypeV128, TypeFuncref, TypeExternref:
		return b
	default:
		c.Failf(at, "%#x is not a value type of WebAssembly 2.0", b)
		return 0
	}
}

// RefType reads a reference type.
func (c *Cursor) RefType() byte {
	at := c.at
	b := c.ValueType()
	if b != TypeFuncref && b != TypeExternref {
		c.Failf(at, "%#x is not a reference type of WebAssembly 2.0", b)
	}
	return b
}

// blockType reads the type of a block: the index of a function type, or a negative number for at most one result.
func (c *Cursor) blockType() int64 {
	at := c.at
	switch t := c.S33(); t {
	case -0x40, -0x01, -0x02, -0x03, -0x04, -0x05, -0x10, -0x11: // nothing, or a value type
		return t
	default:
		if t < 0 {
			c.Failf(at, "%d is not a block type of WebAssembly 2.0", t)
		}
		return t
	}
}

// ValueTypes reads a list of value types. It is a part of the module.
func (c *Cursor) ValueTypes(what string) []byte {
	n := c.Count(what, 1)
	start := c.at
	for range n {
		c.ValueType()
	}
	if c.err != nil {
		return nil
	}
	return c.module[start:c.at:c.at]
}

// Limits are the sizes of a memory, in pages of 64 KiB, or of a table, in elements.
type Limits struct {
	Min, Max uint32
	HasMax   bool
}

// Limits reads the sizes of a memory or table.
func (c *Cursor) Limits(what string) Limits {
	at := c.at
	var l Limits
	switch flags := c.Byte(); flags {
	case 0, 1:
		l.Min = c.U32()
		if l.HasMax = flags == 1; l.HasMax {
			l.Max = c.U32()
		}
	case 2, 3:
		c.Failf(at, "%s is shared: threads are not supported", what)
	case 4, 5, 6, 7:
		c.Failf(at, "%s has 64-bit addresses, which are not supported", what)
	default:
		c.Failf(at, "%s has unknown limits %#x", what, flags)
	}
	if l.HasMax && l.Max < l.Min {
		c.Failf(at, "the maximum of %s is below its minimum", what)
	}
	return l
}

// Constant reads a constant expression, one constant and end, and returns the constant.
func (c *Cursor) Constant() (in Instruction) {
	at := c.at
	c.Instruction(&in)
	switch in.Op {
	case 0x41, 0x42, 0x43, 0x44, 0x23, 0xd0, 0xd2, prefixVector<<8 | 12:
	default:
		c.Failf(at, "a constant expression has the instruction %#x; one constant is allowed", in.Op)
	}
	at = c.at
	if c.Byte() != OpEnd {
		c.Failf(at, "a constant expression has more than one constant")
	}
	return in
}
