package author

import (
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/internal/wasmbin"
)

// emptyGuest makes a plugin that has another plugin's hooks, receives the same input, and returns 0 at once from each. The
// cost of calling it is the host's own.
func emptyGuest(of *abi.Description) []byte {
	doc, _ := (&abi.Description{ABI: abi.Major, Name: "empty", Version: of.Version, Fields: of.Fields, Hooks: of.Hooks}).MarshalMsg(nil) // never fails
	section := func(id byte, items ...[]byte) []byte {
		return wasmbin.AppendSized([]byte{id}, append(wasmbin.AppendU32(nil, uint32(len(items))), slices.Concat(items...)...))
	}
	named := func(name string, tail ...byte) []byte { return append(wasmbin.AppendName(nil, name), tail...) }
	body := func(code ...byte) []byte {
		return wasmbin.AppendSized(nil, append(append([]byte{0}, code...), wasmbin.OpEnd))
	}
	constant := func(n int) []byte { return wasmbin.AppendS64([]byte{wasmbin.OpI32Const}, int64(n)) }
	const (
		i32               = wasmbin.TypeI32
		function, memory  = 0, 2
		nothing, describe = 0, 1 // types, and the module's functions without the import, which comes first
		hook, write       = 2, 3
		drop              = 0x1a
		page              = 64 << 10 // bytes of memory
	)
	exports := make([][]byte, 0, 3+len(abi.Hooks()))
	exports = append(exports, named(abi.Memory, memory, 0), named(abi.Marker, function, 1+nothing), named(abi.ExportDescribe, function, 1+describe))
	for _, name := range abi.Hooks() {
		exports = append(exports, named(string(name), function, 1+hook))
	}
	return slices.Concat([]byte("\x00asm\x01\x00\x00\x00"),
		section(1, []byte{0x60, 0, 0}, []byte{0x60, 0, 1, i32}, []byte{0x60, 1, i32, 1, i32}, []byte{0x60, 2, i32, i32, 1, i32}),
		section(2, slices.Concat(named(abi.Module), named(abi.ImportResultWrite, function, write))),
		section(3, []byte{nothing}, []byte{describe}, []byte{hook}),
		section(5, wasmbin.AppendU32([]byte{0}, uint32(len(doc)/page+1))),
		section(7, exports...),
		section(10, body(),
			body(slices.Concat(constant(0), constant(len(doc)), []byte{wasmbin.OpCall, 0, drop}, constant(1))...),
			body(constant(0)...)),
		section(11, slices.Concat([]byte{0}, constant(0), []byte{wasmbin.OpEnd}, wasmbin.AppendSized(nil, doc))),
	)
}
