package extismtest

import (
	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
	"github.com/agenthost/agenthost/internal/wasmbin"
)

const (
	i32 = wasmbin.I32
	i64 = wasmbin.I64
)

// importSpec is an import of Extism.
type importSpec struct{ module, name, params, results string }

const (
	env  = "extism:host/env"
	user = "extism:host/user"
)

// The imports, by index.
const (
	importAlloc = iota
	importStore
	importLoad
	importLength
	importOutput
	importInputLength
	importInput
	importLog // one for each level
	_
	_
	_
	importNext
	importHostCall
)

var imports = []importSpec{
	{env, "alloc", i64, i64},
	{env, "store_u8", i64 + i32, ""},
	{env, "load_u8", i64, i32},
	{env, "length", i64, i64},
	{env, "output_set", i64 + i64, ""},
	{env, "input_length", "", i64},
	{env, "input_load_u8", i64, i32},
	{env, "log_debug", i64, ""},
	{env, "log_info", i64, ""},
	{env, "log_warn", i64, ""},
	{env, "log_error", i64, ""},
	{user, "next", i64, i64},
	{user, "host_call", i64 + i64, i64},
}

// shim is an added function. It replaces the ABI's import of the same name, or is a helper of such a function.
type shim struct {
	name, params, results string
	locals, body          []byte
}

// The added functions, by index from the first one.
const (
	shimBlock = iota
	shimTake
)

type code = guestkit.Code

// Instructions, and pieces of them.
var (
	seq, get, set, call = guestkit.Seq, guestkit.Get, guestkit.Set, guestkit.Call
	number32, number64  = guestkit.I32, guestkit.I64
	block, loop, when   = guestkit.Block, guestkit.Loop, guestkit.When
	leave, add32, equal = guestkit.Return, guestkit.Add, guestkit.Equal

	sub32  = code{0x6b}
	add64  = code{0x7c}
	or64   = code{0x84}
	left64 = code{0x86}
	atOr   = code{0x4f} // i32.ge_u
	under  = code{0x49} // i32.lt_u
	widen  = code{0xad} // i64.extend_i32_u
	narrow = code{0xa7} // i32.wrap_i64
	sign8  = code{0xc2} // i64.extend8_s
	load8  = code{0x2d, 0, 0}
	store8 = code{0x3a, 0, 0}
)

// each runs a piece of code while the local counts from 0 up to, but not including, the local n.
func each(local, n int, piece code) code {
	return seq(number32(0), set(local), block(loop(get(local), get(n), atOr, code{wasmbin.OpBrIf, 1}, piece,
		get(local), number32(1), add32, set(local), code{wasmbin.OpBr, 0})))
}

// shims returns the functions that are added to a module.
func shims(a *adapter) []shim {
	global := func(op byte, n uint32) code { return wasmbin.AppendU32(code{op}, a.globals+n) }
	const replyAt, replyLength = 0, 1
	local := func(index int) code { return call(int(a.first) + index) }
	two := []byte{2, 1, i32[0], 1, i32[0]}
	logs := seq(get(1), get(2), local(shimBlock), set(3))
	for level := range 4 {
		logs = seq(logs, get(0), number32(level), equal, when(get(3), call(importLog+level), leave))
	}
	return []shim{
		shimBlock: {
			"", i32 + i32, i64,
			[]byte{2, 1, i32[0], 1, i64[0]},
			seq(get(1), widen, call(importAlloc), set(3),
				each(2, 1, seq(get(3), get(2), widen, add64, get(0), get(2), add32, load8, call(importStore))), get(3)),
		},
		// The reply of a call ends with its status in one byte, after 8 constant bytes; 7 bytes precede the reply.
		shimTake: {
			"", i64, i64,
			[]byte{1, 1, i32[0]},
			seq(get(0), call(importLength), narrow, set(1),
				get(1), number32(9), under, when(number64(int64(abi.ETOOBIG)), number64(32), left64, leave),
				get(0), number64(7), add64, global(wasmbin.OpGlobalSet, replyAt),
				number32(0), global(wasmbin.OpGlobalSet, replyLength),
				number32(9), get(1), under, when(get(1), number32(15), sub32, global(wasmbin.OpGlobalSet, replyLength)),
				get(0), get(1), widen, add64, number64(-1), add64, call(importLoad), widen, sign8, number64(32), left64,
				global(wasmbin.OpGlobalGet, replyLength), widen, or64),
		},
		{
			abi.ImportInputRead, i32 + i32, i32, two,
			seq(call(importInputLength), narrow, set(2), get(1), get(2), atOr,
				when(each(3, 2, seq(get(0), get(3), add32, get(3), widen, call(importInput), store8))), get(2)),
		},
		{
			abi.ImportResultWrite, i32 + i32, i32,
			[]byte{0},
			seq(get(0), get(1), local(shimBlock), get(1), widen, call(importOutput), number32(0)),
		},
		{abi.ImportNext, i32 + i32, i64, []byte{0}, seq(get(0), get(1), local(shimBlock), call(importNext), local(shimTake))},
		{
			abi.ImportHostCall, i32 + i32 + i32 + i32, i64,
			[]byte{0},
			seq(get(0), get(1), local(shimBlock), get(2), get(3), local(shimBlock), call(importHostCall), local(shimTake)),
		},
		{
			abi.ImportReplyRead, i32 + i32, i32, two,
			seq(global(wasmbin.OpGlobalGet, replyLength), set(2), get(1), get(2), atOr,
				when(each(3, 2, seq(get(0), get(3), add32, global(wasmbin.OpGlobalGet, replyAt), get(3), widen, add64, call(importLoad), store8))),
				get(2)),
		},
		{abi.ImportLog, i32 + i32 + i32, "", []byte{1, 1, i64[0]}, logs},
	}
}

// body calls the export with the length of the input. If the export writes no result, the output stays empty.
func (w *wrapper) body() []byte {
	var length code
	if w.params > 0 {
		length = seq(call(importInputLength), narrow)
	}
	return seq(code{1, 1, i32[0]}, length, call(int(w.calls)), set(0),
		get(0), number32(0), equal, when(number64(0), number64(0), call(importOutput)),
		get(0), number32(1), equal, when(number32(0), leave), get(0), guestkit.End)
}
