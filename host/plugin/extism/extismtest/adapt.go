// Package extismtest turns plugins for the ABI into Extism plugins, so that the same tests can check how a host handles
// both.
package extismtest

import (
	"errors"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin/preflight"
	"github.com/agenthost/agenthost/internal/wasmbin"
)

// Adapt returns an Extism plugin that does the same as an ABI plugin. Functions that copy documents to and from blocks, byte
// by byte, replace the imports of the ABI. Exports without parameters replace the plugin's exports. Adapt refuses a module
// that does not pass [preflight.Check].
func Adapt(module []byte) ([]byte, error) {
	m, err := preflight.Check(module, preflight.Default())
	if err != nil {
		return nil, err
	}
	a := &adapter{source: module, module: m, moved: map[uint32]uint32{}, types: uint32(len(m.Types)), globals: uint32(len(m.Globals))}
	a.number()
	out := a.all()
	if a.err != nil {
		return nil, a.err
	}
	return out, nil
}

type adapter struct {
	source  []byte
	module  *preflight.Module
	moved   map[uint32]uint32 // new indexes of functions
	kept    []preflight.Import
	first   uint32 // index of the first added function
	types   uint32 // number of types in the original module
	globals uint32 // number of original globals; after them come the block of the last reply and its length
	wrapped []wrapper
	err     error
}

// wrapper is an export whose parameters were removed.
type wrapper struct {
	name   string
	calls  uint32
	params int
}

// number assigns the new index of each function. The imports of Extism come first, then the other imports, then the
// module's own functions, and then the added ones.
func (a *adapter) number() {
	next := uint32(len(imports))
	for i, f := range a.module.Imports {
		if f.Module != abi.Module {
			a.kept = append(a.kept, f)
			a.moved[uint32(i)] = next
			next++
		}
	}
	imported := uint32(len(a.module.Imports))
	for i := range a.module.Functions {
		a.moved[imported+uint32(i)] = next
		next++
	}
	a.first = next
	for i, f := range a.module.Imports {
		if at := slices.IndexFunc(shims(a), func(s shim) bool { return f.Module == abi.Module && s.name == f.Name }); at >= 0 {
			a.moved[uint32(i)] = a.first + uint32(at)
		}
	}
	for _, e := range a.module.Exports {
		if e.Kind == preflight.KindFunction && isCalled(e.Name) {
			t, _ := a.module.FunctionType(e.Index)
			a.wrapped = append(a.wrapped, wrapper{e.Name, a.moved[e.Index], len(a.module.Types[t].Params)})
		}
	}
}

// isCalled reports whether the host calls an export of this name.
func isCalled(name string) bool {
	return name == abi.ExportDescribe || name == abi.ExportConfigure || name == abi.ExportCallTool || slices.Contains(abi.Hooks(), abi.Hook(name))
}

var order = []byte{
	preflight.SectionType, preflight.SectionImport, preflight.SectionFunction, preflight.SectionTable, preflight.SectionMemory,
	preflight.SectionGlobal, preflight.SectionExport, preflight.SectionStart, preflight.SectionElement, preflight.SectionDataCount,
	preflight.SectionCode, preflight.SectionData,
}

// all writes the module, without custom sections.
func (a *adapter) all() []byte {
	out := slices.Clone(a.source[:8])
	for _, id := range order {
		var s *preflight.Section
		if at := slices.IndexFunc(a.module.Sections, func(s preflight.Section) bool { return s.ID == id }); at >= 0 {
			s = &a.module.Sections[at]
		}
		if content := a.section(id, s); content != nil {
			out = wasmbin.AppendSized(append(out, id), content)
		}
	}
	return out
}

// section returns the content of one section, or nil if there is none.
func (a *adapter) section(id byte, s *preflight.Section) []byte {
	added := shims(a)
	switch id {
	case preflight.SectionType:
		items := make([][]byte, 0, len(imports)+len(added)+1)
		for _, f := range imports {
			items = append(items, wasmbin.Signature(f.params, f.results))
		}
		for _, f := range added {
			items = append(items, wasmbin.Signature(f.params, f.results))
		}
		return a.longer(s, append(items, wasmbin.Signature("", i32))...)
	case preflight.SectionImport:
		var items [][]byte
		for i, f := range imports {
			items = append(items, wasmbin.Import(f.module, f.name, int(a.types)+i))
		}
		for _, f := range a.kept {
			items = append(items, wasmbin.Import(f.Module, f.Name, int(f.Type)))
		}
		return a.longer(nil, items...)
	case preflight.SectionFunction:
		items := make([][]byte, 0, len(added)+len(a.wrapped))
		for i := range added {
			items = append(items, wasmbin.AppendU32(nil, a.types+uint32(len(imports)+i)))
		}
		for range a.wrapped {
			items = append(items, wasmbin.AppendU32(nil, a.types+uint32(len(imports)+len(added))))
		}
		return a.longer(s, items...)
	case preflight.SectionGlobal:
		return a.longer(s, []byte{wasmbin.TypeI64, 1, wasmbin.OpI64Const, 0, wasmbin.OpEnd}, []byte{wasmbin.TypeI32, 1, wasmbin.OpI32Const, 0, wasmbin.OpEnd})
	case preflight.SectionExport:
		return a.exports()
	case preflight.SectionCode:
		return a.code(added)
	}
	if s == nil {
		return nil
	}
	switch id {
	case preflight.SectionStart:
		return wasmbin.AppendU32(nil, a.moved[*a.module.Start])
	case preflight.SectionElement:
		a.err = errors.New("extismtest: a module with table elements cannot be adapted")
		return nil
	default:
		return a.source[s.Start:s.End]
	}
}

// longer writes a section with more items at its end.
func (a *adapter) longer(s *preflight.Section, items ...[]byte) []byte {
	if s == nil {
		return wasmbin.Vector(items...)
	}
	c := wasmbin.NewPart(a.source, s.Start, s.End)
	count := c.U32()
	return slices.Concat(wasmbin.AppendU32(nil, count+uint32(len(items))), a.source[c.At():s.End], slices.Concat(items...))
}

func (a *adapter) exports() []byte {
	var items [][]byte
	for _, e := range a.module.Exports {
		index := e.Index
		if e.Kind == preflight.KindFunction {
			index = a.moved[index]
			if at := slices.IndexFunc(a.wrapped, func(w wrapper) bool { return w.name == e.Name }); at >= 0 {
				index = a.first + uint32(len(shims(a))+at)
			}
		}
		items = append(items, wasmbin.Export(e.Name, e.Kind, int(index)))
	}
	return a.longer(nil, items...)
}

// code writes all functions.
func (a *adapter) code(added []shim) []byte {
	var bodies [][]byte
	for i := range a.module.Bodies {
		bodies = append(bodies, wasmbin.AppendSized(nil, a.body(&a.module.Bodies[i])))
	}
	for _, f := range added {
		bodies = append(bodies, wasmbin.AppendSized(nil, slices.Concat(f.locals, f.body, []byte{wasmbin.OpEnd})))
	}
	for _, w := range a.wrapped {
		bodies = append(bodies, wasmbin.AppendSized(nil, w.body()))
	}
	return a.longer(nil, bodies...)
}

// body copies one function and updates the indexes of the functions that it calls.
func (a *adapter) body(b *preflight.Body) []byte {
	out, copied := []byte{}, b.Start
	c := wasmbin.NewPart(a.source, b.Code, b.End)
	var in wasmbin.Instruction
	for c.More() {
		c.Instruction(&in)
		if in.Op != wasmbin.OpCall && in.Op != wasmbin.OpRefFunc {
			continue
		}
		out = append(out, a.source[copied:in.Start+1]...)
		out = wasmbin.AppendU32(out, a.moved[in.Index])
		copied = c.At()
	}
	if c.Err() != nil {
		a.err = c.Err()
	}
	return append(out, a.source[copied:b.End]...)
}
