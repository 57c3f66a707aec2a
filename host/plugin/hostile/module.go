package hostile

import (
	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/internal/wasmbin"
)

// module is a module that imports everything that guests may import, and describes itself as the ABI requires. A guest of
// the corpus may change that.
type module struct {
	wasmbin.Module // whose Data holds further segments

	data []byte // content of the memory at dataStart
}

// function is an import, or a function of the module with the name of its export.
type function = wasmbin.Function

// The memory: a page for small values, a page to read documents into, and then the data.
const (
	buffer    = 64 << 10
	dataStart = 128 << 10
	pages     = 3
)

// newModule makes a module that describes itself as d and has no hooks yet. It fills in a name and a version.
func newModule(d abi.Description) *module {
	m := &module{Module: wasmbin.Module{Imports: allImports(), Memory: []byte{0, pages}}}
	d.ABI = abi.Major
	if d.Name == "" {
		d.Name = "hostile"
	}
	if d.Version == "" {
		d.Version = "1.0.0"
	}
	m.add(abi.Marker, "", "")
	m.add(abi.ExportDescribe, "", tI32, m.say(document(&d)))
	m.Memory = append(m.Memory[:1], leb(pages+len(m.data)>>16)...)
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
	return m.put(function{Name: export, Params: tI32, Results: tI32, Locals: locals(1, tI32), Body: seq(body...)})
}

func (m *module) add(export, params, results string, body ...code) *module {
	return m.put(function{Name: export, Params: params, Results: results, Body: seq(body...)})
}

func (m *module) put(f function) *module {
	m.Functions = append(m.Functions, f)
	return m
}

// without removes an export.
func (m *module) without(export string) *module {
	m.Without(export)
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
	out := m.Module
	if m.Memory != nil {
		out.Exports = append([][]byte{wasmbin.Export(abi.Memory, 2, 0)}, m.Exports...)
	}
	if len(m.data) > 0 {
		out.Data = append([][]byte{wasmbin.Data(dataStart, m.data)}, m.Data...)
	}
	return out.Bytes()
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
