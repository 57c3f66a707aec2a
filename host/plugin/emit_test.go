package plugin_test

import (
	"encoding/binary"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// guest is a small WebAssembly module, written instruction by instruction, so that a test shows the one thing that its
// guest does wrong. The zero value is an empty module; newGuest gives one that loads.
type guest struct {
	imports   []function
	functions []function
	exports   map[string]int // further names of functions, by index
	data      []byte         // what stands at dataStart of its memory
	pages     uint64         // of memory at the start
	noMemory  bool           // the memory is not exported
	foreign   bool           // the memory is imported
	start     *int
	counted   bool // the number of data segments is announced
}

// function is an import, or a function of the module with the name of its export.
type function struct {
	module, name    string
	params, results string // one byte for each value: wasm's own type codes
	body            code
}

// code is a piece of a function's body.
type code []byte

const (
	wasmI32   = "\x7f"
	wasmI64   = "\x7e"
	dataStart = 1024
)

// The imports of every guest, by index.
const (
	callInputRead = iota
	callResultWrite
	callNext
	callHostCall
	callReplyRead
	callLog
	callExit
	callWrite
)

// newGuest makes a module that describes itself as d and has no hooks yet. An empty name and version are filled in.
func newGuest(d abi.Description) *guest {
	g := &guest{pages: 2, exports: map[string]int{}, imports: []function{
		{abi.Module, abi.ImportInputRead, wasmI32 + wasmI32, wasmI32, nil},
		{abi.Module, abi.ImportResultWrite, wasmI32 + wasmI32, wasmI32, nil},
		{abi.Module, abi.ImportNext, wasmI32 + wasmI32, wasmI64, nil},
		{abi.Module, abi.ImportHostCall, wasmI32 + wasmI32 + wasmI32 + wasmI32, wasmI64, nil},
		{abi.Module, abi.ImportReplyRead, wasmI32 + wasmI32, wasmI32, nil},
		{abi.Module, abi.ImportLog, wasmI32 + wasmI32 + wasmI32, "", nil},
		{"wasi_snapshot_preview1", "proc_exit", wasmI32, "", nil},
		{"wasi_snapshot_preview1", "fd_write", wasmI32 + wasmI32 + wasmI32 + wasmI32, wasmI32, nil},
	}}
	d.ABI = abi.Major
	if d.Name == "" {
		d.Name = "bad"
	}
	if d.Version == "" {
		d.Version = "1.0.0"
	}
	g.add(abi.Marker, "", "")
	g.add(abi.ExportDescribe, "", wasmI32, g.say(document(&d)))
	return g
}

// hooked makes a module with one hook, whose body leaves what the hook returns.
func hooked(hook abi.Hook, spec abi.HookSpec, fields ...abi.FieldSpec) *guest {
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
	return newGuest(d)
}

// on adds an export of the type (i32) -> i32.
func (g *guest) on(export string, body ...code) *guest {
	return g.add(export, wasmI32, wasmI32, body...)
}

func (g *guest) add(export, params, results string, body ...code) *guest {
	g.functions = append(g.functions, function{name: export, params: params, results: results, body: slices.Concat(body...)})
	return g
}

// without drops an export.
func (g *guest) without(export string) *guest {
	for i := range g.functions {
		if g.functions[i].name == export {
			g.functions[i].name = ""
		}
	}
	return g
}

// place puts bytes into the module's memory and returns where: a pointer and a length, as constants.
func (g *guest) place(b []byte) code {
	at := dataStart + len(g.data)
	g.data = append(g.data, b...)
	return slices.Concat(i32(at), i32(len(b)))
}

// write calls result_write.
func (g *guest) write(doc []byte) code {
	return slices.Concat(g.place(doc), call(callResultWrite), drop)
}

// say writes a result and leaves 1.
func (g *guest) say(doc []byte) code { return slices.Concat(g.write(doc), i32(1)) }

// log calls log.
func (g *guest) log(level int, text string) code {
	return slices.Concat(i32(level), g.place([]byte(text)), call(callLog))
}

// print writes to stdout.
func (g *guest) print(text string) code {
	at := dataStart + len(g.data)
	g.data = append(g.data, text...)
	vector := dataStart + len(g.data)
	g.data = binary.LittleEndian.AppendUint32(g.data, uint32(at))
	g.data = binary.LittleEndian.AppendUint32(g.data, uint32(len(text)))
	return slices.Concat(i32(1), i32(vector), i32(1), i32(0), call(callWrite), drop)
}

// next calls next, with no document if doc is nil, and traps unless it has this status.
func (g *guest) next(doc []byte, want abi.Status) code {
	return slices.Concat(g.place(doc), call(callNext), expect(want))
}

// hostCall calls an operation and traps unless it has this status.
func (g *guest) hostCall(op string, doc []byte, want abi.Status) code {
	return slices.Concat(g.place([]byte(op)), g.place(doc), call(callHostCall), expect(want))
}

// Instructions.
var (
	trap    = code{0x00}
	drop    = code{0x1a}
	grow    = code{0x40, 0x00}
	nothing = i32(0) // a hook that has nothing to say returns it
)

func i32(v int) code { return append(code{0x41}, signed(int64(int32(uint32(int64(v)))))...) }

func call(index int) code { return append(code{0x10}, unsigned(uint64(index))...) }

// expect takes what next or host_call returned and traps unless its upper half is this status.
func expect(want abi.Status) code {
	return slices.Concat(code{0x42, 32, 0x87, 0xa7}, i32(int(want)), code{0x47, 0x04, 0x40}, trap, code{0x0b})
}

// repeat runs a piece of code n times.
func repeat(n int, piece code) code {
	var out code
	for range n {
		out = append(out, piece...)
	}
	return out
}

// fill overwrites all data of the module with zeros.
func (g *guest) fill() code {
	return slices.Concat(i32(dataStart), i32(0), i32(len(g.data)), code{0xfc, 0x0b, 0x00})
}

// bytes writes the module.
func (g *guest) bytes() []byte {
	out := []byte("\x00asm\x01\x00\x00\x00")
	all := slices.Concat(g.imports, g.functions)
	out = section(out, 1, len(all), func(b []byte, i int) []byte {
		b = append(b, 0x60)
		b = append(unsignedTo(b, len(all[i].params)), all[i].params...)
		return append(unsignedTo(b, len(all[i].results)), all[i].results...)
	})
	imports := len(g.imports)
	if g.foreign {
		imports++
	}
	out = section(out, 2, imports, func(b []byte, i int) []byte {
		if i == len(g.imports) {
			return append(name(name(b, "env"), "memory"), 0x02, 0x00, 0x01)
		}
		b = name(name(b, g.imports[i].module), g.imports[i].name)
		return unsignedTo(append(b, 0x00), i)
	})
	out = section(out, 3, len(g.functions), func(b []byte, i int) []byte { return unsignedTo(b, len(g.imports)+i) })
	if !g.foreign {
		out = section(out, 5, 1, func(b []byte, _ int) []byte { return unsignedTo(append(b, 0x00), int(g.pages)) })
	}
	out = g.exportSection(out)
	if g.start != nil {
		out = append(out, 8, 1, byte(*g.start))
	}
	if g.counted {
		out = append(out, 12, 1, 1)
	}
	out = section(out, 10, len(g.functions), func(b []byte, i int) []byte {
		body := slices.Concat(code{0x00}, g.functions[i].body, code{0x0b})
		return append(unsignedTo(b, len(body)), body...)
	})
	if len(g.data) == 0 || g.foreign {
		return out
	}
	return section(out, 11, 1, func(b []byte, _ int) []byte {
		b = append(append(append(b, 0x00), i32(dataStart)...), 0x0b)
		return append(unsignedTo(b, len(g.data)), g.data...)
	})
}

func (g *guest) exportSection(out []byte) []byte {
	var entries [][]byte
	if !g.noMemory {
		entries = append(entries, append(name(nil, abi.Memory), 0x02, 0x00))
	}
	for i := range g.functions {
		if g.functions[i].name != "" {
			entries = append(entries, unsignedTo(append(name(nil, g.functions[i].name), 0x00), len(g.imports)+i))
		}
	}
	for name := range g.exports {
		entries = append(entries, unsignedTo(append(exportName(name), 0x00), g.exports[name]))
	}
	return section(out, 7, len(entries), func(b []byte, i int) []byte { return append(b, entries[i]...) })
}

// section appends a section of so many entries.
func section(out []byte, id byte, count int, entry func(b []byte, i int) []byte) []byte {
	b := unsignedTo(nil, count)
	for i := range count {
		b = entry(b, i)
	}
	return append(unsignedTo(append(out, id), len(b)), b...)
}

func exportName(text string) []byte { return name(nil, text) }

func name(b []byte, text string) []byte { return append(unsignedTo(b, len(text)), text...) }

func unsigned(v uint64) []byte { return binary.AppendUvarint(nil, v) }

func unsignedTo(b []byte, v int) []byte { return binary.AppendUvarint(b, uint64(v)) }

// signed is LEB128 of a signed number.
func signed(v int64) []byte {
	var out []byte
	for {
		low := byte(v & 0x7f)
		v >>= 7
		if (v == 0 && low&0x40 == 0) || (v == -1 && low&0x40 != 0) {
			return append(out, low)
		}
		out = append(out, low|0x80)
	}
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

// mapOf encodes a document that abi's types cannot say.
func mapOf(values map[string]any) []byte {
	b, err := wire.Of(values)
	if err != nil {
		panic(err)
	}
	return b
}
