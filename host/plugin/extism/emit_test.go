//go:build !no_extism

package extism_test

import (
	"slices"

	"github.com/agenthost/agenthost/internal/wasmbin"
)

// guest is an Extism plugin, written instruction by instruction, so that a test shows exactly what it does.
type guest struct {
	wasmbin.Module

	data []byte // content of its memory at dataStart
}

// function is an import, or a function of the module with the name of its export.
type function = wasmbin.Function

// code is a piece of a function's body. Each function has two variables after its parameters: an i32 and an i64.
type code = []byte

const (
	wasmI32   = wasmbin.I32
	wasmI64   = wasmbin.I64
	dataStart = 1024
)

// The imports of every guest, by index.
const (
	callAlloc = iota
	callStore8
	callStore64
	callLoad8
	callLoad64
	callFree
	callLength
	callOutputSet
	callErrorSet
	callInputLength
	callInputOffset
	callInputLoad64
	callConfigGet
	callLogInfo
	callNext
	callHostCall
	callPut // the first function of the guest itself: (ptr, len i32) -> block i64
)

func newGuest() *guest {
	env := func(name, params, results string) function {
		return function{Module: "extism:host/env", Name: name, Params: params, Results: results}
	}
	user := func(name, params string) function {
		return function{Module: "extism:host/user", Name: name, Params: params, Results: wasmI64}
	}
	g := &guest{Module: wasmbin.Module{Memory: []byte{0, 2}, Exports: [][]byte{wasmbin.Export("memory", 2, 0)}, Imports: []function{
		env("alloc", wasmI64, wasmI64), env("store_u8", wasmI64+wasmI32, ""), env("store_u64", wasmI64+wasmI64, ""),
		env("load_u8", wasmI64, wasmI32), env("load_u64", wasmI64, wasmI64), env("free", wasmI64, ""), env("length", wasmI64, wasmI64),
		env("output_set", wasmI64+wasmI64, ""), env("error_set", wasmI64, ""), env("input_length", "", wasmI64),
		env("input_offset", "", wasmI64), env("input_load_u64", wasmI64, wasmI64), env("config_get", wasmI64, wasmI64),
		env("log_info", wasmI64, ""), user("next", wasmI64), user("host_call", wasmI64+wasmI64),
	}}}
	// put(ptr, len): variable 2 counts, and variable 3 is the block.
	return g.add("", wasmI32+wasmI32, wasmI64,
		get(1), extend, call(callAlloc), set(3),
		block, loop, get(2), get(1), code{0x4f}, breakIf(1), // i32.ge_u
		get(3), get(2), extend, code{0x7c}, get(0), get(2), code{0x6a}, load8, call(callStore8),
		get(2), i32(1), code{0x6a}, set(2), again, end, end, get(3))
}

// describing returns a guest that describes itself with this text.
func describing(text string) *guest {
	g := newGuest()
	return g.export("describe", g.say(text), i32(0))
}

// export adds an export of the type () -> i32.
func (g *guest) export(name string, body ...code) *guest { return g.add(name, "", wasmI32, body...) }

func (g *guest) add(export, params, results string, body ...code) *guest {
	locals := slices.Concat([]byte{2, 1}, []byte(wasmI32), []byte{1}, []byte(wasmI64))
	g.Functions = append(g.Functions, function{Name: export, Params: params, Results: results, Locals: locals, Body: slices.Concat(body...)})
	return g
}

// block makes a block from a text and leaves its offset.
func (g *guest) block(text string) code {
	at := dataStart + len(g.data)
	g.data = append(g.data, text...)
	return slices.Concat(i32(at), i32(len(text)), call(callPut))
}

// say sets a text as the output.
func (g *guest) say(text string) code {
	return slices.Concat(g.block(text), i64(len(text)), call(callOutputSet))
}

// Instructions.
var (
	end    = code{0x0b}
	block  = code{0x02, 0x40}
	loop   = code{0x03, 0x40}
	drop   = code{0x1a}
	trap   = code{0x00}
	extend = code{0xad}
	load8  = code{0x2d, 0, 0}
	isZero = code{0x50} // i64.eqz
	when   = code{0x04, 0x40}
	again  = code{0x0c, 0} // the innermost loop
)

func get(local int) code { return wasmbin.Indexed(wasmbin.OpLocalGet, local) }

func set(local int) code { return wasmbin.Indexed(wasmbin.OpLocalSet, local) }

func breakIf(depth int) code { return wasmbin.Indexed(wasmbin.OpBrIf, depth) }

func call(index int) code { return wasmbin.Indexed(wasmbin.OpCall, index) }

func i32(v int) code { return wasmbin.I32Const(v) }

func i64(v int) code { return wasmbin.I64Const(int64(v)) }

// bytes writes the module.
func (g *guest) bytes() []byte {
	out := g.Module
	out.Data = [][]byte{wasmbin.Data(dataStart, g.data)}
	return out.Bytes()
}
