package wasmbin

// Opcodes that callers look at. Those after a prefix are prefix<<8 | number.
const (
	OpUnreachable   = 0x00
	OpNop           = 0x01
	OpBlock         = 0x02
	OpLoop          = 0x03
	OpIf            = 0x04
	OpElse          = 0x05
	OpEnd           = 0x0b
	OpBr            = 0x0c
	OpBrIf          = 0x0d
	OpBrTable       = 0x0e
	OpReturn        = 0x0f
	OpCall          = 0x10
	OpCallIndirect  = 0x11
	OpSelect        = 0x1b
	OpLocalGet      = 0x20
	OpLocalSet      = 0x21
	OpLocalTee      = 0x22
	OpGlobalGet     = 0x23
	OpGlobalSet     = 0x24
	OpTableGet      = 0x25
	OpTableSet      = 0x26
	OpMemoryGrow    = 0x40
	OpI32Const      = 0x41
	OpI64Const      = 0x42
	OpI32LtU        = 0x49
	OpI64GeS        = 0x59
	OpI64Sub        = 0x7d
	OpI64Shl        = 0x86
	OpI64ShrU       = 0x88
	OpI64ExtendI32U = 0xad
	OpRefFunc       = 0xd2

	OpMemoryInit = 0xfc08
	OpDataDrop   = 0xfc09
	OpMemoryCopy = 0xfc0a
	OpMemoryFill = 0xfc0b
	OpTableInit  = 0xfc0c
	OpElemDrop   = 0xfc0d
	OpTableCopy  = 0xfc0e
	OpTableGrow  = 0xfc0f
	OpTableSize  = 0xfc10
	OpTableFill  = 0xfc11
)

const (
	prefixMisc   = 0xfc
	prefixVector = 0xfd
)

// Instruction is one instruction with the immediates that callers look at.
type Instruction struct {
	Op      uint16
	Start   int      // offset in the module
	Block   int64    // block, loop, if: the block type
	Index   uint32   // the first index: a label, function, type, local, global, table, segment; the offset of a memory access
	Index2  uint32   // the second index: call_indirect: the table; table.init: the table; table.copy: the source
	Targets []uint32 // br_table: all labels, the default last; overwritten by the next br_table
}

// immediate is what follows an opcode.
type immediate uint8

const (
	immUnknown immediate = iota // no instruction of WebAssembly 2.0
	immNone
	immBlock
	immIndex
	immIndexes   // two
	immTargets   // br_table
	immTypes     // select with a type
	immMemory    // alignment and offset
	immZero      // one byte, 0
	immZeros     // two of them
	immIndexZero // an index and a zero byte
	immS32
	immS64
	imm4
	imm8
	imm16
	immLane
	immMemoryLane
	immRefType
)

var immediates = func() (table [256]immediate) {
	set := func(i immediate, from, to int) {
		for op := from; op <= to; op++ {
			table[op] = i
		}
	}
	set(immNone, 0x00, 0x01)  // unreachable, nop
	set(immBlock, 0x02, 0x04) // block, loop, if
	set(immNone, 0x05, 0x05)  // else
	set(immNone, 0x0b, 0x0b)  // end
	set(immIndex, 0x0c, 0x0d) // br, br_if
	set(immTargets, 0x0e, 0x0e)
	set(immNone, 0x0f, 0x0f)    // return
	set(immIndex, 0x10, 0x10)   // call
	set(immIndexes, 0x11, 0x11) // call_indirect
	set(immNone, 0x1a, 0x1b)    // drop, select
	set(immTypes, 0x1c, 0x1c)
	set(immIndex, 0x20, 0x26)  // local, global, table
	set(immMemory, 0x28, 0x3e) // loads, stores
	set(immZero, 0x3f, 0x40)   // memory.size, memory.grow
	set(immS32, 0x41, 0x41)
	set(immS64, 0x42, 0x42)
	set(imm4, 0x43, 0x43)
	set(imm8, 0x44, 0x44)
	set(immNone, 0x45, 0xc4) // numbers
	set(immRefType, 0xd0, 0xd0)
	set(immNone, 0xd1, 0xd1) // ref.is_null
	set(immIndex, 0xd2, 0xd2)
	return table
}()

// miscImmediates are those after the prefix 0xfc.
var miscImmediates = [...]immediate{
	0: immNone, 1: immNone, 2: immNone, 3: immNone, 4: immNone, 5: immNone, 6: immNone, 7: immNone, // saturating conversions
	8: immIndexZero, 9: immIndex, 10: immZeros, 11: immZero, // memory.init, data.drop, memory.copy, memory.fill
	12: immIndexes, 13: immIndex, 14: immIndexes, 15: immIndex, 16: immIndex, 17: immIndex, // tables
}

// vectorImmediates are those after the prefix 0xfd.
var vectorImmediates = func() (table [256]immediate) {
	for op := range table {
		switch {
		case op <= 11 || op == 92 || op == 93:
			table[op] = immMemory
		case op == 12 || op == 13:
			table[op] = imm16
		case op >= 21 && op <= 34:
			table[op] = immLane
		case op >= 84 && op <= 91:
			table[op] = immMemoryLane
		default:
			table[op] = immNone
		}
	}
	for _, op := range []int{
		154, 162, 165, 166, 175, 176, 178, 179, 180, 187, 194, 197, 198, 207, 208, 210, 211, 212, 226, 238,
	} {
		table[op] = immUnknown
	}
	return table
}()

// Instruction reads the next instruction.
func (c *Cursor) Instruction(in *Instruction) {
	in.Start = c.at
	op := c.Byte()
	in.Op = uint16(op)
	imm := immediates[op]
	switch op {
	case prefixMisc:
		sub := c.Sub()
		if imm = immUnknown; sub < uint32(len(miscImmediates)) {
			imm = miscImmediates[sub]
		}
		in.Op = prefixMisc<<8 | uint16(sub&0xff)
	case prefixVector:
		// wazero reads one byte. Of a number that takes two, the second is then read as nop.
		sub := c.Sub()
		if imm = immUnknown; sub < uint32(len(vectorImmediates)) {
			imm = vectorImmediates[sub]
		}
		in.Op = prefixVector<<8 | uint16(sub&0xff)
	}
	if imm == immUnknown {
		c.Failf(in.Start, "the instruction %#x is not one of WebAssembly 2.0", in.Op)
		return
	}
	c.immediate(in, imm)
}

func (c *Cursor) immediate(in *Instruction, imm immediate) {
	switch imm {
	case immBlock:
		in.Block = c.blockType()
	case immIndex:
		in.Index = c.U32()
	case immIndexes:
		in.Index, in.Index2 = c.U32(), c.U32()
	case immTargets:
		n := c.Count("labels", 1)
		in.Targets = in.Targets[:0]
		for range n + 1 {
			in.Targets = append(in.Targets, c.U32())
		}
	case immTypes:
		c.only(1, "the number of types of select")
		c.ValueType()
	case immMemory, immMemoryLane:
		if at := c.at; c.U32() >= 32 {
			c.Failf(at, "the alignment is too large")
		}
		in.Index = c.U32()
		if imm == immMemoryLane {
			c.Byte()
		}
	case immIndexZero:
		in.Index = c.U32()
		c.only(0, "the index of the memory")
	case immZero:
		c.only(0, "the index of the memory")
	case immZeros:
		c.only(0, "the index of the memory")
		c.only(0, "the index of the memory")
	case immS32:
		c.S32()
	case immS64:
		c.S64()
	case imm4:
		c.Bytes(4)
	case imm8:
		c.Bytes(8)
	case imm16:
		c.Bytes(16)
	case immLane:
		c.Byte()
	case immRefType:
		c.RefType()
	default: // nothing follows
	}
}

// only reads a byte that has one possible value.
func (c *Cursor) only(value byte, what string) {
	if at := c.at; c.Byte() != value {
		c.Failf(at, "%s must be %d, in one byte", what, value)
	}
}
