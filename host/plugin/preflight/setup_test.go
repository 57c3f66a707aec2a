package preflight_test

import "slices"

// The tests write modules byte by byte, so that a reader sees what is wrong with each.

func leb(n int) []byte {
	var out []byte
	for {
		b := byte(n & 0x7f)
		if n >>= 7; n == 0 {
			return append(out, b)
		}
		out = append(out, b|0x80)
	}
}

// padded encodes a number in five bytes.
func padded(n int) []byte {
	return []byte{byte(n) | 0x80, byte(n>>7) | 0x80, byte(n>>14) | 0x80, byte(n>>21) | 0x80, byte(n >> 28)}
}

func section(id byte, content ...[]byte) []byte {
	body := slices.Concat(content...)
	return slices.Concat([]byte{id}, leb(len(body)), body)
}

// vector returns a count followed by the items.
func vector(items ...[]byte) []byte { return append(leb(len(items)), slices.Concat(items...)...) }

func name(text string) []byte { return append(leb(len(text)), text...) }

// funcType encodes a function type with this many i32 parameters and results.
func funcType(params, results int) []byte {
	return slices.Concat([]byte{0x60}, leb(params), slices.Repeat([]byte{0x7f}, params), leb(results), slices.Repeat([]byte{0x7f}, results))
}

func module(sections ...[]byte) []byte {
	return append([]byte("\x00asm\x01\x00\x00\x00"), slices.Concat(sections...)...)
}

// body returns the body of a function with this many i32 variables. It adds the end.
func body(locals int, code ...byte) []byte {
	content := []byte{0}
	if locals > 0 {
		content = slices.Concat([]byte{1}, leb(locals), []byte{0x7f})
	}
	content = append(append(content, code...), 0x0b)
	return append(leb(len(content)), content...)
}

// program returns a module of functions of the type () -> (), with a memory and a table.
func program(bodies ...[]byte) []byte {
	functions := make([][]byte, len(bodies))
	for i := range functions {
		functions[i] = []byte{0}
	}
	return module(
		section(1, vector(funcType(0, 0))), section(3, vector(functions...)), section(4, vector([]byte{0x70, 1, 1, 2})),
		section(5, vector([]byte{0, 1})), section(10, vector(bodies...)),
	)
}

func times(n int, code ...byte) []byte { return slices.Repeat(code, n) }
