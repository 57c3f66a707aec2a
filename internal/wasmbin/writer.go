package wasmbin

import "slices"

// AppendU32 appends an unsigned integer, as short as possible.
func AppendU32(dst []byte, n uint32) []byte {
	for n >= 0x80 {
		dst = append(dst, byte(n)|0x80)
		n >>= 7
	}
	return append(dst, byte(n))
}

// AppendS64 appends a signed integer, as short as possible.
func AppendS64(dst []byte, n int64) []byte {
	for n < -0x40 || n >= 0x40 {
		dst = append(dst, byte(n)|0x80)
		n >>= 7
	}
	return append(dst, byte(n)&0x7f)
}

// AppendName appends a name.
func AppendName(dst []byte, name string) []byte {
	return append(AppendU32(dst, uint32(len(name))), name...)
}

// AppendSized appends content after its length: a section, or the body of a function.
func AppendSized(dst, content []byte) []byte {
	return append(AppendU32(dst, uint32(len(content))), content...)
}

// U32 returns an unsigned integer: an index, a number of items, or a size.
func U32(n int) []byte { return AppendU32(nil, uint32(n)) }

// Name returns a name.
func Name(text string) []byte { return AppendName(nil, text) }

// Vector returns the number of items, and then the items.
func Vector(items ...[]byte) []byte { return append(U32(len(items)), slices.Concat(items...)...) }

// Section returns a section.
func Section(id byte, content ...[]byte) []byte {
	return AppendSized([]byte{id}, slices.Concat(content...))
}

// Custom returns a custom section.
func Custom(name string, content ...byte) []byte { return Section(0, Name(name), content) }

// Binary returns the module that consists of these sections.
func Binary(sections ...[]byte) []byte {
	return slices.Concat([]byte("\x00asm\x01\x00\x00\x00"), slices.Concat(sections...))
}

// Signature returns a function type. Each parameter and result is one byte, such as [I32].
func Signature(params, results string) []byte {
	return slices.Concat([]byte{0x60}, Name(params), Name(results))
}

// Import returns an import of a function, whose type has this index.
func Import(module, name string, typeIndex int) []byte {
	return slices.Concat(Name(module), Name(name), []byte{0}, U32(typeIndex))
}

// Export returns an export. The kind is 0 for a function, 2 for a memory, and 3 for a global variable.
func Export(name string, kind byte, index int) []byte {
	return slices.Concat(Name(name), []byte{kind}, U32(index))
}

// Body returns the body of a function, whose code it ends. Without locals the function has no variables.
func Body(locals []byte, code ...[]byte) []byte {
	if locals == nil {
		locals = []byte{0}
	}
	return AppendSized(nil, slices.Concat(locals, slices.Concat(code...), []byte{OpEnd}))
}

// Locals returns a group of n variables of one type, for [Body].
func Locals(n int, valueType string) []byte {
	if n == 0 {
		return nil
	}
	return Vector(append(U32(n), valueType...))
}

// Data returns a segment of data that is in the memory from the beginning.
func Data(at int, content []byte) []byte {
	return slices.Concat([]byte{0}, I32Const(at), []byte{OpEnd}, AppendSized(nil, content))
}

// I32Const returns the instruction that leaves a constant of 32 bits, which may be given as signed or unsigned.
func I32Const(n int) []byte { return AppendS64([]byte{OpI32Const}, int64(int32(uint32(int64(n))))) }

// I64Const returns the instruction that leaves a constant of 64 bits.
func I64Const(n int64) []byte { return AppendS64([]byte{OpI64Const}, n) }

// Indexed returns an instruction that has an index, such as [OpCall] or [OpLocalGet].
func Indexed(op byte, index int) []byte { return AppendU32([]byte{op}, uint32(index)) }
