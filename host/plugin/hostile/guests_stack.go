package hostile

import (
	"slices"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
)

// stackGuests returns guests that nest calls without end.
func stackGuests() []Guest {
	overflow := func(line int, name string, module func() []byte) Guest {
		return Guest{
			Line: line, Name: name, Stage: "before_model", Kinds: []plugin.Kind{plugin.KindTrap, plugin.KindFuel}, Says: "",
			Once: true, Module: module, Limits: plugin.Limits{Fuel: 50_000_000, Deadline: 10 * time.Second}, // growing a stack takes long
		}
	}
	return []Guest{
		{
			Line: 31, Name: "tree of calls", Stage: "before_model", Kinds: []plugin.Kind{plugin.KindFuel}, Says: "used up its fuel",
			Once: true, Limits: littleFuel, Module: callTree,
		},
		{
			Line: 31, Name: "tree of calls in time", Stage: "before_model", Kinds: []plugin.Kind{plugin.KindDeadline}, Says: "of time",
			Once: true, Limits: littleTime, Module: callTree,
		},
		overflow(32, "recursion", func() []byte {
			m := hooked(abi.BeforeModel)
			self := m.Next()
			m.Add(function{Body: call(self)})
			return m.On("before_model", once(call(self)), nothing).Bytes()
		}),
		overflow(32, "mutual recursion", func() []byte {
			m := hooked(abi.BeforeModel)
			first := m.Next()
			m.Add(function{Body: call(first + 1)})
			m.Add(function{Body: call(first)})
			return m.On("before_model", once(call(first)), nothing).Bytes()
		}),
		overflow(32, "recursion with large frames", func() []byte {
			m := hooked(abi.BeforeModel)
			self := m.Next()
			// 600 parameters and results must live across the call: each frame takes kilobytes.
			wide := string(again(600, tI64[0]))
			var load, add code
			for i := range 600 {
				load = append(load, get(i)...)
			}
			for i := range 600 {
				add = append(add, seq(get(599-i), code{0x7c}, set(599-i))...)
			}
			m.Add(function{Params: wide, Results: wide, Body: seq(load, call(self), add, load)})
			return m.On("before_model", once(again(600, 0x42, 1), call(self), again(600, 0x1a)), nothing).Bytes()
		}),
		overflow(32, "recursion through a table", func() []byte {
			m := hooked(abi.BeforeModel)
			self := m.Next()
			m.Types, m.Tables = [][]byte{signature("", "")}, [][]byte{{0x70, 0, 1}}
			m.Elements = [][]byte{slices.Concat([]byte{0, 0x41, 0, 0x0b, 1}, leb(self))}
			m.Add(function{Body: seq(i32(0), code{0x11, 0, 0})})
			return m.On("before_model", once(call(self)), nothing).Bytes()
		}),
		{
			Line: 40, Name: "trampolines", Stage: "before_model", Kinds: []plugin.Kind{plugin.KindFuel}, Says: "used up its fuel",
			Once: true, Limits: littleFuel, Module: trampolines,
		},
		{
			Line: 40, Name: "indirect call of another type", Stage: "before_model", Kinds: []plugin.Kind{plugin.KindTrap}, Says: "indirect call type mismatch",
			Once: true, Module: func() []byte {
				m := hooked(abi.BeforeModel)
				m.Types, m.Tables = [][]byte{signature(tI32, "")}, [][]byte{{0x70, 0, 1}}
				m.Elements = [][]byte{slices.Concat([]byte{0, 0x41, 0, 0x0b, 1}, leb(m.Next()))}
				m.Add(function{})
				return m.On("before_model", once(i32(0), i32(0), code{0x11, 0, 0}), nothing).Bytes()
			},
		},
		{
			Line: 40, Name: "indirect call of the host", Benign: true, Module: func() []byte { // a table may hold an import
				m := hooked(abi.BeforeModel)
				m.Types, m.Tables = [][]byte{signature("", tI32)}, [][]byte{{0x70, 0, 1}}
				m.Elements = [][]byte{slices.Concat([]byte{0, 0x41, 0, 0x0b, 1}, leb(guestkit.SchedYield))}
				return m.On("before_model", i32(0), code{0x11, 0, 0, 0x1a}, nothing).Bytes()
			},
		},
		refused(41, "try_table around a loop", plugin.KindMalformed, "not one of WebAssembly 2.0", is(attack(
			code{0x1f, 0x40, 1, 2, 0}, forever(), end))),
		refused(41, "try and catch_all", plugin.KindMalformed, "not one of WebAssembly 2.0", is(attack(
			code{0x06, 0x40}, forever(), code{0x19}, end))),
		refused(41, "tail call", plugin.KindMalformed, "not one of WebAssembly 2.0", is(attack(code{0x12, 0}))),
		refused(41, "indirect tail call", plugin.KindMalformed, "not one of WebAssembly 2.0", is(attack(i32(0), code{0x13, 0, 0}))),
		refused(41, "section of tags", plugin.KindMalformed, "the section 13 is unknown", is(raw(section(13, vector())))),
	}
}

// callTree returns a module with 60 functions, each of which calls the next one twice. It has no loop.
func callTree() []byte {
	m := hooked(abi.BeforeModel)
	root := m.CallTree(60)
	return m.On("before_model", once(call(root)), nothing).Bytes()
}

// trampolines returns a module with functions that call each other through a table, twice each.
func trampolines() []byte {
	m := hooked(abi.BeforeModel)
	root := m.Next()
	m.Types, m.Tables = [][]byte{signature(tI32, "")}, [][]byte{{0x70, 0, 40}}
	var entries []byte
	for i := range 40 {
		entries = append(entries, leb(root+i)...)
	}
	m.Elements = [][]byte{slices.Concat([]byte{0, 0x41, 0, 0x0b, 40}, entries)}
	for i := range 40 {
		step := seq(get(0), i32((i+1)%40), code{0x11, 0, 0})
		if i == 39 {
			step = nil
		}
		m.Add(function{Params: tI32, Body: seq(step, step)})
	}
	return m.On("before_model", once(i32(1), i32(0), code{0x11, 0, 0}), nothing).Bytes()
}
