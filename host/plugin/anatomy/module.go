package anatomy

import (
	"slices"
	"strings"

	"github.com/agenthost/agenthost/host/plugin/preflight"
	"github.com/agenthost/agenthost/internal/wasmbin"
)

// Module describes the structure of a module. Sizes are in bytes. Its texts come from the module: they may hold any UTF-8,
// including control characters.
type Module struct {
	Size      int        `json:"size"`
	Code      int        `json:"code"`      // size of the code of the functions
	Data      int        `json:"data"`      // size of the initial content of the memory
	Debug     int        `json:"debug"`     // size of the debug sections, see [IsDebug]
	Functions int        `json:"functions"` // number of functions with a body
	Memory    *Memory    `json:"memory,omitempty"`
	Stack     int        `json:"stack,omitempty"`  // size of the stack, if the linker put it before the data; 0: unknown
	Tables    []Table    `json:"tables,omitempty"` // tables of functions or of references
	Imports   []Imports  `json:"imports,omitempty"`
	Exports   []Export   `json:"exports,omitempty"`
	Custom    []Section  `json:"custom_sections,omitempty"`
	Producers []Producer `json:"producers,omitempty"` // the tools that made it, according to the module itself
}

// Memory is the size of a memory when an instance starts, and its maximum.
type Memory struct {
	Initial int64 `json:"initial"`
	Maximum int64 `json:"maximum,omitempty"` // 0: no maximum
}

// Table is the number of elements in a table at the start, and its maximum.
type Table struct {
	Initial uint32 `json:"initial"`
	Maximum uint32 `json:"maximum,omitempty"` // 0: no maximum
}

// Imports are the functions that are imported from one module.
type Imports struct {
	Module string   `json:"module"`
	Names  []string `json:"names"`
}

// Export is something that the module exports.
type Export struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // function, table, memory or global
}

// Section is a custom section.
type Section struct {
	Name string `json:"name"`
	Size int    `json:"size"` // size of the content
}

// Of reads a module. The error is a [*preflight.Error] if the module would not be loaded.
func Of(module []byte) (*Module, error) {
	m, err := preflight.Check(module, preflight.Default())
	if err != nil {
		return nil, err
	}
	out := &Module{Size: len(module), Functions: len(m.Functions), Stack: stack(module, m)}
	if m.Memory != nil {
		out.Memory = &Memory{Initial: int64(m.Memory.Min) << 16, Maximum: int64(m.Memory.Max) << 16}
	}
	for _, t := range m.Tables {
		out.Tables = append(out.Tables, Table{Initial: t.Min, Maximum: t.Max})
	}
	kinds := [...]string{preflight.KindFunction: "function", preflight.KindTable: "table", preflight.KindMemory: "memory", preflight.KindGlobal: "global"}
	for _, e := range m.Exports {
		out.Exports = append(out.Exports, Export{e.Name, kinds[e.Kind]})
	}
	out.addImports(m)
	for _, s := range m.Sections {
		out.addSection(module, &s)
	}
	return out, nil
}

// addImports groups the imports by module, in the order in which the modules first appear.
func (m *Module) addImports(read *preflight.Module) {
	groups := map[string]int{}
	for _, i := range read.Imports {
		at, ok := groups[i.Module]
		if !ok {
			at = len(m.Imports)
			groups[i.Module] = at
			m.Imports = append(m.Imports, Imports{Module: i.Module})
		}
		m.Imports[at].Names = append(m.Imports[at].Names, i.Name)
	}
}

func (m *Module) addSection(module []byte, s *preflight.Section) {
	switch s.ID {
	case preflight.SectionCode:
		m.Code = s.End - s.Start
	case preflight.SectionData:
		m.Data = s.End - s.Start
	case preflight.SectionCustom:
		content := content(module, s)
		m.Custom = append(m.Custom, Section{s.Name, len(content)})
		if IsDebug(s.Name) {
			m.Debug += len(content)
		}
		if s.Name == producersSection && m.Producers == nil {
			m.Producers = producers(content)
		}
	}
}

// content returns what follows the name in a custom section.
func content(module []byte, s *preflight.Section) []byte {
	c := wasmbin.NewPart(module, s.Start, s.End)
	c.Bytes(int(c.U32()))
	return c.Bytes(c.Left())
}

// Exported reports whether the module exports a function of this name.
func (m *Module) Exported(name string) bool {
	return slices.Contains(m.Exports, Export{name, "function"})
}

// Asyncify reports whether the module can stop in the middle of a call, as TinyGo's default scheduler requires: each call
// then costs hundreds of microseconds.
func (m *Module) Asyncify() bool {
	return slices.ContainsFunc(m.Exports, func(e Export) bool { return strings.HasPrefix(e.Name, "asyncify_") })
}
