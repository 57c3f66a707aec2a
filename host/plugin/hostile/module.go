package hostile

import (
	"slices"

	"github.com/agenthost/agenthost/abi"
)

// module is a module that imports everything that guests may import, and describes itself as the ABI requires. A guest of
// the corpus may change that.
type module struct {
	types     [][]byte // further types; the first has the index 0
	imports   []function
	functions []function
	tables    [][]byte
	memory    []byte // the limits of the memory
	globals   [][]byte
	exports   [][]byte // further exports
	start     int      // index of the start function; 0: none
	elements  [][]byte
	data      []byte   // content of the memory at dataStart
	segments  [][]byte // further data
	counted   bool     // whether the number of data segments is announced
	before    []byte   // sections before the first one
	behind    []byte   // sections after the last one
}

// function is an import, or a function of the module with the name of its export.
type function struct {
	module, name    string
	params, results string
	locals          []byte
	body            code
}

// The memory: a page for small values, a page to read documents into, and then the data.
const (
	buffer    = 64 << 10
	dataStart = 128 << 10
	pages     = 3
)

// newModule makes a module that describes itself as d and has no hooks yet. It fills in a name and a version.
func newModule(d abi.Description) *module {
	m := &module{imports: allImports(), memory: []byte{0, pages}}
	d.ABI = abi.Major
	if d.Name == "" {
		d.Name = "hostile"
	}
	if d.Version == "" {
		d.Version = "1.0.0"
	}
	m.add(abi.Marker, "", "")
	m.add(abi.ExportDescribe, "", tI32, m.say(document(&d)))
	m.memory = append(m.memory[:1], leb(pages+len(m.data)>>16)...)
	return m
}

// hooked makes a module with one hook.
func hooked(hook abi.Hook, fields ...abi.FieldSpec) *module {
	return specified(hook, abi.HookSpec{}, fields...)
}

// specified makes a module with one hook that has this spec.
func specified(hook abi.Hook, spec abi.HookSpec, fields ...abi.FieldSpec) *module {
	d := abi.Description{Fields: fields}
	switch hook {
	case abi.BeforeAgent:
		d.Hooks.BeforeAgent = &spec
	case abi.BeforeModel:
		d.Hooks.BeforeModel = &spec
	case abi.AfterModel:
		d.Hooks.AfterModel = &spec
	case abi.AfterAgent:
		d.Hooks.AfterAgent = &spec
	case abi.WrapModelCall:
		d.Hooks.WrapModelCall = &spec
	case abi.WrapToolCall:
		d.Hooks.WrapToolCall = &spec
	}
	return newModule(d)
}

// fine returns a module with a hook that changes nothing.
func fine() *module { return hooked(abi.BeforeModel).on("before_model", nothing) }

// attack returns a module whose before_model runs this code and then returns 0.
func attack(pieces ...code) []byte {
	return hooked(abi.BeforeModel).on("before_model", seq(pieces...), nothing).bytes()
}

// on adds an export of the type (i32) -> i32, which has one variable besides its parameter.
func (m *module) on(export string, body ...code) *module {
	return m.put(function{name: export, params: tI32, results: tI32, locals: locals(1, tI32), body: seq(body...)})
}

func (m *module) add(export, params, results string, body ...code) *module {
	return m.put(function{name: export, params: params, results: results, body: seq(body...)})
}

func (m *module) put(f function) *module {
	m.functions = append(m.functions, f)
	return m
}

// next returns the index of the next function that is added.
func (m *module) next() int { return len(m.imports) + len(m.functions) }

// without removes an export.
func (m *module) without(export string) *module {
	for i := range m.functions {
		if m.functions[i].name == export {
			m.functions[i].name = ""
		}
	}
	return m
}

// place puts bytes into the module's memory and returns their pointer and length, as constants.
func (m *module) place(b []byte) code {
	at := dataStart + len(m.data)
	m.data = append(m.data, b...)
	return seq(i32(at), i32(len(b)))
}

// write calls result_write.
func (m *module) write(doc []byte) code { return seq(m.place(doc), call(callResultWrite), drop) }

// say writes a result and leaves 1.
func (m *module) say(doc []byte) code { return seq(m.write(doc), i32(1)) }

// log calls log.
func (m *module) log(level int, text string) code {
	return seq(i32(level), m.place([]byte(text)), call(callLog))
}

// print writes to a descriptor.
func (m *module) print(fd int, text string) code {
	at := dataStart + len(m.data)
	m.data = append(m.data, text...)
	vector := dataStart + len(m.data) + 16
	return seq(poke(vector, at), poke(vector+4, len(text)), i32(fd), i32(vector), i32(1), i32(vector+8), call(callFdWrite), drop)
}

// hostCall calls an operation and traps unless it has this status.
func (m *module) hostCall(operation string, doc []byte, want abi.Status) code {
	return seq(m.place([]byte(operation)), m.place(doc), call(callHostCall), expect(want))
}

// forward calls next, with no document if doc is nil, and traps unless it succeeds.
func (m *module) forward(doc []byte) code {
	return seq(m.place(doc), call(callNext), expect(abi.StatusOK))
}

// once runs a piece of code only in the first call of a hook, which it recognizes by n, the first key of the input.
func once(pieces ...code) code {
	return seq(i32(buffer), i32(buffer), call(callInputRead), drop,
		i32(buffer), code{0x2d, 0x00, 0x03}, i32(1), code{0x46}, when(pieces...))
}

// bytes writes the module.
func (m *module) bytes() []byte {
	all := slices.Concat(m.imports, m.functions)
	types := slices.Clone(m.types)
	imports, functions := [][]byte{}, [][]byte{}
	exports := [][]byte{slices.Concat(name(abi.Memory), []byte{0x02, 0x00})}
	var bodies [][]byte
	for i := range all {
		f, index := &all[i], leb(len(m.types)+i)
		types = append(types, signature(f.params, f.results))
		if i < len(m.imports) {
			imports = append(imports, slices.Concat(name(f.module), name(f.name), []byte{0}, index))
			continue
		}
		functions = append(functions, index)
		if f.locals == nil {
			f.locals = noLocals
		}
		bodies = append(bodies, body(f.locals, f.body))
		if f.name != "" {
			exports = append(exports, slices.Concat(name(f.name), []byte{0}, leb(i)))
		}
	}
	segments := m.segments
	if len(m.data) > 0 {
		segments = append([][]byte{slices.Concat([]byte{0}, i32(dataStart), end, name(string(m.data)))}, segments...)
	}
	out := append(raw(), m.before...)
	out = append(out, slices.Concat(section(1, vector(types...)), section(2, vector(imports...)), section(3, vector(functions...)))...)
	out = m.optional(out, 4, m.tables)
	if m.memory != nil {
		out = append(out, section(5, vector(m.memory))...)
	} else {
		exports = exports[1:]
	}
	out = m.optional(out, 6, m.globals)
	out = append(out, section(7, vector(append(exports, m.exports...)...))...)
	if m.start != 0 {
		out = append(out, section(8, leb(m.start))...)
	}
	out = m.optional(out, 9, m.elements)
	if m.counted {
		out = append(out, section(12, leb(len(segments)))...)
	}
	out = append(out, section(10, vector(bodies...))...)
	out = m.optional(out, 11, segments)
	return append(out, m.behind...)
}

// optional appends a section if it has items.
func (m *module) optional(out []byte, id byte, items [][]byte) []byte {
	if len(items) == 0 {
		return out
	}
	return append(out, section(id, vector(items...))...)
}

// document encodes one of abi's documents.
func document(d interface {
	MarshalMsg(b []byte) ([]byte, error)
},
) []byte {
	b, err := d.MarshalMsg(nil)
	if err != nil {
		panic(err)
	}
	return b
}
