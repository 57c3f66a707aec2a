package wasmbin

import "slices"

// The value types of functions as text, for [Signature] and [Locals].
const (
	I32 = "\x7f"
	I64 = "\x7e"
)

// Module is a module to assemble. It is not checked: it may be wrong in any way. Fields of bytes are encoded as in the binary
// format.
type Module struct {
	Before    []byte     // sections before the first
	Types     [][]byte   // types besides those of the functions; the first has the index 0
	Imports   []Function // without a body
	Imported  [][]byte   // imports that are not functions
	Functions []Function // after the imports in the order of indices
	Tables    [][]byte
	Memory    []byte // its limits; nil: none
	Globals   [][]byte
	Exports   [][]byte // besides those of the functions
	Start     int      // the index of a function; 0: none
	Elements  [][]byte
	Data      [][]byte
	DataCount bool   // the number of data segments is announced
	After     []byte // sections after the last
}

// Function is an import, or a function of the module under the name of its export.
type Function struct {
	Module, Name    string // "": not exported
	Params, Results string // see [Signature]
	Locals          []byte // see [Locals]
	Body            []byte // without its end
}

// Next returns the index that the next function will have.
func (m *Module) Next() int { return len(m.Imports) + len(m.Functions) }

// Without removes the export of functions.
func (m *Module) Without(export string) {
	for i := range m.Functions {
		if m.Functions[i].Name == export {
			m.Functions[i].Name = ""
		}
	}
}

// Bytes assembles the module. Each function has a type of its own.
func (m *Module) Bytes() []byte {
	types, exports := slices.Clone(m.Types), slices.Clone(m.Exports)
	var imports, functions, bodies, memories [][]byte
	for i, f := range slices.Concat(m.Imports, m.Functions) {
		typeIndex := len(types)
		types = append(types, Signature(f.Params, f.Results))
		if i < len(m.Imports) {
			imports = append(imports, Import(f.Module, f.Name, typeIndex))
			continue
		}
		functions, bodies = append(functions, U32(typeIndex)), append(bodies, Body(f.Locals, f.Body))
		if f.Name != "" {
			exports = append(exports, Export(f.Name, 0, i))
		}
	}
	if m.Memory != nil {
		memories = [][]byte{m.Memory}
	}
	var start, count []byte
	if m.Start != 0 {
		start = Section(8, U32(m.Start))
	}
	if m.DataCount {
		count = Section(12, U32(len(m.Data)))
	}
	return Binary(m.Before,
		items(1, types), items(2, append(imports, m.Imported...)), items(3, functions), items(4, m.Tables), items(5, memories),
		items(6, m.Globals), items(7, exports), start, items(9, m.Elements), count, items(10, bodies), items(11, m.Data),
		m.After)
}

// items returns a section of items; nil if there are none.
func items(id byte, items [][]byte) []byte {
	if len(items) == 0 {
		return nil
	}
	return Section(id, Vector(items...))
}
