package hostile

import (
	"cmp"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
	"github.com/agenthost/agenthost/internal/wasmbin"
)

// The pieces of the kit, by short names: most guests consist of little else.
type (
	module   = guestkit.Module
	function = wasmbin.Function
	code     = guestkit.Code
)

const (
	buffer, dataStart, pages = guestkit.Buffer, guestkit.DataStart, guestkit.MinPages
	wasi                     = guestkit.WASI
)

var (
	trap, nop, end, leave, drop, grow = guestkit.Trap, guestkit.Nop, guestkit.End, guestkit.Return, guestkit.Drop, guestkit.Grow
	load32, store32, fill, copying    = guestkit.Load32, guestkit.Store32, guestkit.Fill, guestkit.Copy
	equal, differ, add, nothing       = guestkit.Equal, guestkit.Differ, guestkit.Add, guestkit.Nothing

	i32, i64, op, call, get, set  = guestkit.I32, guestkit.I64, wasmbin.Indexed, guestkit.Call, guestkit.Get, guestkit.Set
	seq, again, block, loop, when = guestkit.Seq, guestkit.Repeat, guestkit.Block, guestkit.Loop, guestkit.When
	forever, turns, poke, expect  = guestkit.Forever, guestkit.Turns, guestkit.Poke, guestkit.Expect
	document, mapOf               = guestkit.Document, guestkit.MapOf
)

// newModule makes a module that describes itself as d, by default with the name hostile, and has no hooks yet.
func newModule(d abi.Description) *module {
	d.Name = cmp.Or(d.Name, "hostile")
	return guestkit.New(d)
}

// hooked makes a module with one hook.
func hooked(hook abi.Hook, fields ...abi.FieldSpec) *module {
	return specified(hook, abi.HookSpec{}, fields...)
}

// specified makes a module with one hook that has this spec.
func specified(hook abi.Hook, spec abi.HookSpec, fields ...abi.FieldSpec) *module {
	return newModule(guestkit.Describing(hook, spec, fields...))
}

// fine returns a module with a hook that changes nothing.
func fine() *module { return hooked(abi.BeforeModel).On("before_model", nothing) }

// attack returns a module whose before_model runs this code and then returns 0.
func attack(pieces ...code) []byte {
	return hooked(abi.BeforeModel).On("before_model", seq(pieces...), nothing).Bytes()
}

// once runs a piece of code only in the first call of a hook, which it recognizes by n, the first key of the input.
func once(pieces ...code) code {
	return seq(i32(buffer), i32(buffer), call(guestkit.InputRead), drop,
		i32(buffer), code{0x2d, 0x00, 0x03}, i32(1), equal, when(pieces...))
}
