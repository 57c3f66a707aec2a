package extism_test

import (
	"encoding/binary"
	"slices"
)

// guest is an Extism plugin, written instruction by instruction, so that a test shows exactly what it does.
type guest struct {
	imports   []function
	functions []function
	data      []byte // content of its memory at dataStart
	start     int    // index of the start function; 0: none
}

// function is an import, or a function of the module with the name of its export.
type function struct {
	module, name    string
	params, results string // one byte for each value
	body            code
}

// code is a piece of a function's body. Each function has two variables after its parameters: an i32 and an i64.
type code []byte

const (
	wasmI32   = "\x7f"
	wasmI64   = "\x7e"
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
		return function{"extism:host/env", name, params, results, nil}
	}
	user := func(name, params string) function { return function{"extism:host/user", name, params, wasmI64, nil} }
	g := &guest{imports: []function{
		env("alloc", wasmI64, wasmI64), env("store_u8", wasmI64+wasmI32, ""), env("store_u64", wasmI64+wasmI64, ""),
		env("load_u8", wasmI64, wasmI32), env("load_u64", wasmI64, wasmI64), env("free", wasmI64, ""), env("length", wasmI64, wasmI64),
		env("output_set", wasmI64+wasmI64, ""), env("error_set", wasmI64, ""), env("input_length", "", wasmI64),
		env("input_offset", "", wasmI64), env("input_load_u64", wasmI64, wasmI64), env("config_get", wasmI64, wasmI64),
		env("log_info", wasmI64, ""), user("next", wasmI64), user("host_call", wasmI64+wasmI64),
	}}
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
	g.functions = append(g.functions, function{name: export, params: params, results: results, body: slices.Concat(body...)})
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

func get(local int) code { return code{0x20, byte(local)} }

func set(local int) code { return code{0x21, byte(local)} }

func breakIf(depth int) code { return code{0x0d, byte(depth)} }

func call(index int) code { return append(code{0x10}, unsigned(index)...) }

func i32(v int) code { return append(code{0x41}, signed(int64(v))...) }

func i64(v int) code { return append(code{0x42}, signed(int64(v))...) }

// bytes writes the module.
func (g *guest) bytes() []byte {
	all := slices.Concat(g.imports, g.functions)
	var types, imports, functions, exports, bodies [][]byte
	exports = append(exports, slices.Concat(name("memory"), []byte{2, 0}))
	for i, f := range all {
		types = append(types, slices.Concat([]byte{0x60}, name(f.params), name(f.results)))
		if i < len(g.imports) {
			imports = append(imports, slices.Concat(name(f.module), name(f.name), []byte{0}, unsigned(i)))
			continue
		}
		functions = append(functions, unsigned(i))
		bodies = append(bodies, name(string(slices.Concat(code{2, 1, wasmI32[0], 1, wasmI64[0]}, f.body, end))))
		if f.name != "" {
			exports = append(exports, slices.Concat(name(f.name), []byte{0}, unsigned(i)))
		}
	}
	out := slices.Concat([]byte("\x00asm\x01\x00\x00\x00"), section(1, types...), section(2, imports...), section(3, functions...),
		section(5, []byte{0, 2}), section(7, exports...))
	if g.start != 0 {
		out = append(out, 8, 1, byte(g.start))
	}
	return slices.Concat(out, section(10, bodies...), section(11, slices.Concat([]byte{0}, i32(dataStart), end, name(string(g.data)))))
}

// section writes a section of items.
func section(id byte, items ...[]byte) []byte {
	return slices.Concat([]byte{id}, name(string(slices.Concat(unsigned(len(items)), slices.Concat(items...)))))
}

func name(text string) []byte { return append(unsigned(len(text)), text...) }

func unsigned(v int) []byte { return binary.AppendUvarint(nil, uint64(v)) }

// signed returns the LEB128 form of a signed number.
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
