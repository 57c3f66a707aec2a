package wasmbin

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

// AppendSized appends content behind its length: a section, or the body of a function.
func AppendSized(dst, content []byte) []byte {
	return append(AppendU32(dst, uint32(len(content))), content...)
}
