package preflight

import "github.com/agenthost/agenthost/internal/wasmbin"

// Module is the structure of a module. Slices of bytes are parts of the module's own bytes.
type Module struct {
	Types     []wasmbin.FuncType
	Imports   []Import
	Functions []uint32 // the types of the functions with a body
	Tables    []wasmbin.Limits
	Memory    *wasmbin.Limits // nil: the module has no memory
	Globals   []Global
	Exports   []Export
	Start     *uint32 // the function that runs first; nil: none
	// Lasting reports that code changes something outside memory and globals: it writes to a table, or drops a segment.
	Lasting bool
	// Referenced are the functions that can be reached without a call: by exports, tables or the start section.
	Referenced map[uint32]bool
	Bodies     []Body
	Sections   []Section
}

// Import is a function that the module imports.
type Import struct {
	Module, Name string
	Type         uint32
}

// Global is a global variable.
type Global struct {
	Type    byte
	Mutable bool
}

// Export is something that the module exports.
type Export struct {
	Name  string
	Kind  byte // one of the Kind constants
	Index uint32
}

// The kinds of imports and exports.
const (
	KindFunction = 0
	KindTable    = 1
	KindMemory   = 2
	KindGlobal   = 3
)

// Body is the body of a function: its local variables and its instructions.
type Body struct {
	Start, Code, End int // offsets in the module: of the locals, of the first instruction, after the last
	Locals           int // without the parameters
}

// Section is a section of the module.
type Section struct {
	ID         byte
	Start, End int    // offsets of the content
	Name       string // name of a custom section
}

// The ids of sections.
const (
	SectionCustom    = 0
	SectionType      = 1
	SectionImport    = 2
	SectionFunction  = 3
	SectionTable     = 4
	SectionMemory    = 5
	SectionGlobal    = 6
	SectionExport    = 7
	SectionStart     = 8
	SectionElement   = 9
	SectionCode      = 10
	SectionData      = 11
	SectionDataCount = 12
)

// FunctionType returns the type of a function, imported or not, or false if there is no such function.
func (m *Module) FunctionType(index uint32) (uint32, bool) {
	switch imported := uint32(len(m.Imports)); {
	case index < imported:
		return m.Imports[index].Type, true
	case index-imported < uint32(len(m.Functions)):
		return m.Functions[index-imported], true
	default:
		return 0, false
	}
}
