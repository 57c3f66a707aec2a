package preflight_test

import (
	"slices"
	"strings"

	"github.com/agenthost/agenthost/internal/wasmbin"
)

// The tests write modules byte by byte, so that a reader sees what is wrong with each. These are the pieces.
var (
	module, section, vector, name, leb = wasmbin.Binary, wasmbin.Section, wasmbin.Vector, wasmbin.Name, wasmbin.U32
)

// padded encodes a number in five bytes.
func padded(n int) []byte {
	return []byte{byte(n) | 0x80, byte(n>>7) | 0x80, byte(n>>14) | 0x80, byte(n>>21) | 0x80, byte(n >> 28)}
}

// funcType encodes a function type with this many i32 parameters and results.
func funcType(params, results int) []byte {
	return wasmbin.Signature(strings.Repeat(wasmbin.I32, params), strings.Repeat(wasmbin.I32, results))
}

// body returns the body of a function with this many i32 variables. It adds the end.
func body(locals int, code ...byte) []byte {
	return wasmbin.Body(wasmbin.Locals(locals, wasmbin.I32), code)
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
