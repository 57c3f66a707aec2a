package hostile

import (
	"slices"

	"github.com/agenthost/agenthost/internal/wasmbin"
)

// The pieces of the binary format, for modules that are written byte by byte.

// huge is a count that no module can satisfy: 2³²−1.
const huge = "\xff\xff\xff\xff\x0f"

// The codes of value types.
const (
	tI32       = "\x7f"
	tI64       = "\x7e"
	tF64       = "\x7c"
	tV128      = "\x7b"
	tFuncref   = "\x70"
	tExternref = "\x6f"
)

// raw returns a module with these sections.
func raw(sections ...[]byte) []byte {
	return append([]byte("\x00asm\x01\x00\x00\x00"), slices.Concat(sections...)...)
}

func section(id byte, content ...[]byte) []byte {
	return wasmbin.AppendSized([]byte{id}, slices.Concat(content...))
}

// custom returns a custom section.
func custom(title string, content ...byte) []byte { return section(0, name(title), content) }

// vector returns a count followed by the items.
func vector(items ...[]byte) []byte { return append(leb(len(items)), slices.Concat(items...)...) }

func name(text string) []byte { return wasmbin.AppendName(nil, text) }

func leb(n int) []byte { return wasmbin.AppendU32(nil, uint32(n)) }

// padded encodes a number in five bytes.
func padded(n uint32) []byte {
	return []byte{byte(n) | 0x80, byte(n>>7) | 0x80, byte(n>>14) | 0x80, byte(n>>21) | 0x80, byte(n >> 28)}
}

// signature encodes the type of a function.
func signature(params, results string) []byte {
	return slices.Concat([]byte{0x60}, name(params), name(results))
}

// body returns the body of a function of a raw module. It adds the end.
func body(locals []byte, code ...code) []byte {
	return wasmbin.AppendSized(nil, slices.Concat(locals, slices.Concat(code...), end))
}

// noLocals is an empty list of groups of local variables.
var noLocals = []byte{0}

func locals(n int, kind string) []byte { return slices.Concat([]byte{1}, leb(n), []byte(kind)) }
