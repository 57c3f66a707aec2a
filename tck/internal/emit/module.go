package emit

import (
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/wasmbin"
)

// Module is a guest.
type Module struct {
	wasmbin.Module

	NoMemory bool // the memory is not exported

	data []byte
}

// Function is an import, or a function of the module with the name of its export.
type Function = wasmbin.Function

// The imports of every module, by index.
const (
	InputRead = iota
	ResultWrite
	Next
	HostCall
	ReplyRead
	Log
	ProcExit
	FdWrite
	ClockTimeGet
	RandomGet
	PollOneoff
	ArgsSizesGet
	EnvironSizesGet
	FdPrestatGet
	FdRead
	contains // the first function of the module itself
)

// Where documents are in the memory: those that the module brings, and those that it reads.
const (
	dataStart = 1024
	Input     = 0x100000
	Reply     = 0x300000
	pages     = 0x50
	room      = 0x200000
)

const wasi = "wasi_snapshot_preview1"

// New makes a module that describes itself as d and has no hooks yet. If the name or version is missing, New fills it
// in.
func New(d abi.Description) *Module {
	d.ABI = abi.Major
	if d.Name == "" {
		d.Name = "guest"
	}
	if d.Version == "" {
		d.Version = "1.0.0"
	}
	return Raw(Document(&d))
}

// Raw makes a module that writes this document as its Description.
func Raw(description []byte) *Module {
	m := &Module{Module: wasmbin.Module{
		Memory: append([]byte{0}, wasmbin.U32(pages)...), Imports: imports(),
		Globals: [][]byte{slices.Concat([]byte{wasmbin.TypeI32, 1}, Number(0), End)}, // one variable
	}}
	m.Add(Function{Params: I32 + I32 + I32 + I32, Results: I32, Locals: wasmbin.Locals(2, I32), Body: search()})
	m.Add(Function{Name: abi.Marker})
	m.Add(Function{Name: abi.ExportDescribe, Results: I32, Body: m.Say(description)})
	return m
}

// Hooked makes a module that declares one hook. The caller must still add its code.
func Hooked(hook abi.Hook, spec abi.HookSpec, fields ...abi.FieldSpec) *Module {
	return New(Describing(hook, spec, fields...))
}

// Describing returns a Description with one hook.
func Describing(hook abi.Hook, spec abi.HookSpec, fields ...abi.FieldSpec) abi.Description {
	d := abi.Description{Fields: fields}
	List(&d.Hooks, hook, spec)
	return d
}

// List adds a hook to the hooks of a Description.
func List(h *abi.HookSpecs, hook abi.Hook, spec abi.HookSpec) {
	switch hook {
	case abi.BeforeAgent:
		h.BeforeAgent = &spec
	case abi.BeforeModel:
		h.BeforeModel = &spec
	case abi.AfterModel:
		h.AfterModel = &spec
	case abi.AfterAgent:
		h.AfterAgent = &spec
	case abi.WrapModelCall:
		h.WrapModelCall = &spec
	case abi.WrapToolCall:
		h.WrapToolCall = &spec
	}
}

func imports() []Function {
	ints := func(n int) string { return string(slices.Repeat([]byte(I32), n)) }
	return []Function{
		{Module: abi.Module, Name: abi.ImportInputRead, Params: ints(2), Results: I32},
		{Module: abi.Module, Name: abi.ImportResultWrite, Params: ints(2), Results: I32},
		{Module: abi.Module, Name: abi.ImportNext, Params: ints(2), Results: I64},
		{Module: abi.Module, Name: abi.ImportHostCall, Params: ints(4), Results: I64},
		{Module: abi.Module, Name: abi.ImportReplyRead, Params: ints(2), Results: I32},
		{Module: abi.Module, Name: abi.ImportLog, Params: ints(3)},
		{Module: wasi, Name: "proc_exit", Params: ints(1)},
		{Module: wasi, Name: "fd_write", Params: ints(4), Results: I32},
		{Module: wasi, Name: "clock_time_get", Params: I32 + I64 + I32, Results: I32},
		{Module: wasi, Name: "random_get", Params: ints(2), Results: I32},
		{Module: wasi, Name: "poll_oneoff", Params: ints(4), Results: I32},
		{Module: wasi, Name: "args_sizes_get", Params: ints(2), Results: I32},
		{Module: wasi, Name: "environ_sizes_get", Params: ints(2), Results: I32},
		{Module: wasi, Name: "fd_prestat_get", Params: ints(2), Results: I32},
		{Module: wasi, Name: "fd_read", Params: ints(4), Results: I32},
	}
}

// On adds an export of the type (i32) -> i32, with two variables besides its parameter.
func (m *Module) On(export string, body ...Code) *Module {
	return m.Add(Function{Name: export, Params: I32, Results: I32, Locals: wasmbin.Locals(2, I32), Body: Seq(body...)})
}

// Add adds a function.
func (m *Module) Add(f Function) *Module {
	m.Functions = append(m.Functions, f)
	return m
}

// Without removes an export.
func (m *Module) Without(export string) *Module {
	m.Module.Without(export)
	return m
}

// Place puts bytes into the memory, and leaves a pointer to them and their length.
func (m *Module) Place(b []byte) Code {
	at := dataStart + len(m.data)
	m.data = append(m.data, b...)
	return Seq(Number(at), Number(len(b)))
}

// Write calls result_write.
func (m *Module) Write(doc []byte) Code { return Seq(m.Place(doc), Call(ResultWrite), Drop) }

// Say writes a result and leaves 1.
func (m *Module) Say(doc []byte) Code { return Seq(m.Write(doc), Number(1)) }

// Print logs a line.
func (m *Module) Print(level int, text string) Code {
	return Seq(Number(level), m.Place([]byte(text)), Call(Log))
}

// Forward calls next, without a document if doc is nil, and leaves the return value.
func (m *Module) Forward(doc []byte) Code { return Seq(m.Place(doc), Call(Next)) }

// Operate calls an operation and leaves the return value.
func (m *Module) Operate(op string, doc []byte) Code {
	return Seq(m.Place([]byte(op)), m.Place(doc), Call(HostCall))
}

// ReadInput reads the input document.
func (m *Module) ReadInput() Code { return Seq(Number(Input), Number(room), Call(InputRead), Drop) }

// InputHas leaves 1 if the input contains these bytes, and 0 otherwise.
func (m *Module) InputHas(needle []byte) Code {
	return Seq(m.Place(needle), Number(Input), Number(Input), Number(room), Call(InputRead), Call(contains))
}

// ReplyHas leaves 1 if the last reply contains these bytes, and 0 otherwise.
func (m *Module) ReplyHas(needle []byte) Code {
	return Seq(m.Place(needle), Number(Reply), Number(Reply), Number(room), Call(ReplyRead), Call(contains))
}

// Document encodes one of abi's documents.
func Document(d interface {
	MarshalMsg(b []byte) ([]byte, error)
},
) []byte {
	b, err := d.MarshalMsg(nil)
	if err != nil {
		panic(err)
	}
	return b
}

// Value encodes a document that abi's types cannot express.
func Value(v any) []byte {
	b, err := wire.Of(v)
	if err != nil {
		panic(err)
	}
	return b
}

// search returns the body of contains(needle, length, hay, haylength) -> i32.
func search() Code {
	const needle, length, hay, most, i, j = 0, 1, 2, 3, 4, 5
	byteAt := func(base, a, b int) Code {
		return Seq(Get(base), Get(a), Code{0x6a}, Get(b), Code{0x6a}, Code{0x2d, 0, 0})
	}
	step := func(v int) Code { return Seq(Get(v), Number(1), Code{0x6a}, Set(v)) }
	return Seq(
		Code{0x03, 0x40},                                                      // loop
		Get(i), Get(length), Code{0x6a}, Get(most), Code{0x4b}, When(Exit(0)), // i+length > most
		Number(0), Set(j),
		Code{0x02, 0x40}, Code{0x03, 0x40}, // block, loop
		Get(j), Get(length), Code{0x4f}, When(Exit(1)), // j >= length
		byteAt(hay, i, j), Get(needle), Get(j), Code{0x6a}, Code{0x2d, 0, 0}, Code{0x47}, Code{0x0d, 1}, // they differ: out of the block
		step(j), Code{0x0c, 0},
		End, End,
		step(i), Code{0x0c, 0},
		End, Number(0),
	)
}

// Bytes writes the module.
func (m *Module) Bytes() []byte {
	out := m.Module
	if !m.NoMemory {
		out.Exports = append([][]byte{wasmbin.Export(abi.Memory, 2, 0)}, m.Exports...)
	}
	if len(m.data) > 0 {
		out.Data = [][]byte{wasmbin.Data(dataStart, m.data)}
	}
	return out.Bytes()
}
