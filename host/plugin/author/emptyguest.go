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
	const (
		memory = 2        // kind of an export
		page   = 64 << 10 // bytes
		drop   = 0x1a
		i32    = wasmbin.I32
	)
	m := wasmbin.Module{
		Imports: []wasmbin.Function{{Module: abi.Module, Name: abi.ImportResultWrite, Params: i32 + i32, Results: i32}},
		Memory:  append([]byte{0}, wasmbin.U32(len(doc)/page+1)...),
		Exports: [][]byte{wasmbin.Export(abi.Memory, memory, 0)},
		Data:    [][]byte{wasmbin.Data(0, doc)},
	}
	describe := slices.Concat(wasmbin.I32Const(0), wasmbin.I32Const(len(doc)), wasmbin.Indexed(wasmbin.OpCall, 0), []byte{drop}, wasmbin.I32Const(1))
	m.Functions = []wasmbin.Function{{Name: abi.Marker}, {Name: abi.ExportDescribe, Results: i32, Body: describe}}
	for _, hook := range abi.Hooks() {
		m.Functions = append(m.Functions, wasmbin.Function{Name: string(hook), Params: i32, Results: i32, Body: wasmbin.I32Const(0)})
	}
	return m.Bytes()
}
