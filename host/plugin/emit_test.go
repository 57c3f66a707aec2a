package plugin_test

import (
	"encoding/binary"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/wasmbin"
)

// guest is a small WebAssembly module, written instruction by instruction, so that a test shows the one thing that its
// guest does wrong. The zero value is an empty module; newGuest gives one that loads.
type guest struct {
	wasmbin.Module

	data     []byte // what is at dataStart of its memory
	noMemory bool   // the memory is not exported
}

// function is an import, or a function of the module with the name of its export.
type function = wasmbin.Function

// code is a piece of a function's body.
type code = []byte

const (
	wasmI32   = wasmbin.I32
	wasmI64   = wasmbin.I64
	dataStart = 1024
)

// pages returns the limits of a memory that starts with n pages.
func pages(n int) []byte { return append([]byte{0}, wasmbin.U32(n)...) }

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
	from := func(module, name, params, results string) function {
		return function{Module: module, Name: name, Params: params, Results: results}
	}
	g := &guest{Module: wasmbin.Module{Memory: pages(2), Imports: []function{
		from(abi.Module, abi.ImportInputRead, wasmI32+wasmI32, wasmI32),
		from(abi.Module, abi.ImportResultWrite, wasmI32+wasmI32, wasmI32),
		from(abi.Module, abi.ImportNext, wasmI32+wasmI32, wasmI64),
		from(abi.Module, abi.ImportHostCall, wasmI32+wasmI32+wasmI32+wasmI32, wasmI64),
		from(abi.Module, abi.ImportReplyRead, wasmI32+wasmI32, wasmI32),
		from(abi.Module, abi.ImportLog, wasmI32+wasmI32+wasmI32, ""),
		from("wasi_snapshot_preview1", "proc_exit", wasmI32, ""),
		from("wasi_snapshot_preview1", "fd_write", wasmI32+wasmI32+wasmI32+wasmI32, wasmI32),
	}}}
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
	g.Functions = append(g.Functions, function{Name: export, Params: params, Results: results, Body: slices.Concat(body...)})
	return g
}

// without drops an export.
func (g *guest) without(export string) *guest {
	g.Without(export)
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

func i32(v int) code { return wasmbin.I32Const(v) }

func call(index int) code { return wasmbin.Indexed(wasmbin.OpCall, index) }

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
	out := g.Module
	if !g.noMemory {
		out.Exports = append([][]byte{wasmbin.Export(abi.Memory, 2, 0)}, g.Exports...)
	}
	if len(g.data) > 0 {
		out.Data = [][]byte{wasmbin.Data(dataStart, g.data)}
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

// mapOf encodes a document that abi's types cannot say.
func mapOf(values map[string]any) []byte {
	b, err := wire.Of(values)
	if err != nil {
		panic(err)
	}
	return b
}
