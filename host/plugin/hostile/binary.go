package hostile

import "github.com/agenthost/agenthost/internal/wasmbin"

// The pieces of the binary format, by short names: most guests consist of little else.
var (
	raw, section, custom, vector = wasmbin.Binary, wasmbin.Section, wasmbin.Custom, wasmbin.Vector
	name, leb, signature, body   = wasmbin.Name, wasmbin.U32, wasmbin.Signature, wasmbin.Body
	locals                       = wasmbin.Locals
)

// huge is a count that no module can satisfy: 2³²−1.
const huge = "\xff\xff\xff\xff\x0f"

// The codes of value types.
const (
	tI32       = wasmbin.I32
	tI64       = wasmbin.I64
	tF64       = "\x7c"
	tV128      = "\x7b"
	tFuncref   = "\x70"
	tExternref = "\x6f"
)

// padded encodes a number in five bytes.
func padded(n uint32) []byte {
	return []byte{byte(n) | 0x80, byte(n>>7) | 0x80, byte(n>>14) | 0x80, byte(n>>21) | 0x80, byte(n >> 28)}
}
