package hostile

import (
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin"
)

// compileGuests returns guests that are small, but cost a compiler seconds and gigabytes.
func compileGuests() []Guest {
	bomb := func(line int, name string, module func() []byte) Guest {
		return refused(line, name, plugin.KindLimit, "too long to compile", module)
	}
	// with returns a module whose hook is never called, with another function that has this many variables.
	with := func(variables int, pieces ...code) []byte {
		return fine().Add(function{Locals: locals(variables, tI32), Body: seq(pieces...)}).Bytes()
	}
	nested := func(n int, kind byte) code { return seq(again(n, kind, 0x40), again(n, 0x0b)) }
	all := []Guest{
		bomb(6, "300 nested loops over 900 locals", func() []byte { return with(900, nested(300, 0x03)) }),
		bomb(6, "4000 nested loops", func() []byte { return with(40, nested(4_000, 0x03)) }),
		bomb(6, "4000 nested blocks twelve times", func() []byte {
			m := fine()
			for range 12 {
				m.Add(function{Body: nested(4_000, 0x02)})
			}
			return m.Bytes()
		}),
		bomb(6, "20000 ifs in a row", func() []byte { return with(1, again(20_000, 0x41, 0, 0x04, 0x40, 0x0b)) }),
		bomb(6, "30000 br_ifs in a row", func() []byte { return with(1, again(30_000, 0x41, 0, 0x0d, 0)) }),
		bomb(6, "30000 returns in ifs", func() []byte { return with(1, again(20_000, 0x41, 0, 0x04, 0x40, 0x0f, 0x0b)) }),
		bomb(7, "br_tables of 8000 labels", func() []byte {
			table := seq(i32(0), code{0x0e}, leb(8_000), again(8_001, 0))
			return with(1, block(slices.Repeat(table, 12)))
		}),
		bomb(7, "br_table out of 2000 blocks that carry values", func() []byte {
			m := fine()
			m.Types = [][]byte{signature("", string(again(100, tI32[0])))}
			m.Add(function{Body: seq(again(2_000, 0x02, 0), again(100, 0x41, 0), i32(0), code{0x0e}, leb(8_000), again(8_001, 1),
				again(2_000, 0x0b), again(100, 0x1a))})
			return m.Bytes()
		}),
		bomb(6, "calls of a function with 500 values", func() []byte {
			m := fine()
			wide := string(again(500, tI32[0]))
			callee := m.Next()
			m.Add(function{Params: wide, Results: wide, Body: trap})
			return m.Add(function{Body: seq(again(500, 0x41, 0), again(2_000, call(callee)...), again(500, 0x1a))}).Bytes()
		}),
		bomb(6, "indirect calls of a type with 500 values", func() []byte {
			m := fine()
			wide := string(again(500, tI32[0]))
			m.Types, m.Tables = [][]byte{signature(wide, wide)}, [][]byte{{0x70, 0, 1}}
			return m.Add(function{Body: seq(again(500, 0x41, 0), again(2_000, 0x41, 0, 0x11, 0, 0), again(500, 0x1a))}).Bytes()
		}),
		bomb(6, "values that meet in 200 blocks", phiBomb),
		bomb(6, "exits out of loops in loops", func() []byte {
			exits := seq(again(60, 0x03, 0x40), again(6_000, 0x41, 0, 0x0d, 60), again(60, 0x0b))
			return with(200, exits, exits)
		}),
		bomb(6, "20000 memory.fills", func() []byte { return attack(again(20_000, seq(i32(0), i32(0), i32(0), fill)...)) }),
		refused(8, "100001 functions", plugin.KindLimit, "are allowed", func() []byte {
			return raw(section(1, vector(signature("", ""))), section(3, leb(100_001), again(100_001, 0)), section(10, leb(100_001), again(100_001, 2, 0, 0x0b)))
		}),
		refused(8, "10001 types", plugin.KindLimit, "10000 are allowed", func() []byte {
			return raw(section(1, vector(slices.Repeat([][]byte{signature("", "")}, 10_001)...)))
		}),
		refused(8, "type of 1001 parameters", plugin.KindLimit, "1001 parameters", func() []byte {
			return raw(section(1, vector(signature(string(again(1_001, tI32[0])), ""))))
		}),
		refused(8, "10001 globals", plugin.KindLimit, "10000 are allowed", func() []byte {
			m := fine()
			m.Globals = slices.Repeat([][]byte{{0x7f, 1, 0x41, 0, 0x0b}}, 10_001)
			return m.Bytes()
		}),
		refused(8, "10001 locals", plugin.KindLimit, "10001 local variables", func() []byte { return with(10_001) }),
		refused(8, "100001 segments of data", plugin.KindLimit, "100000 are allowed", func() []byte {
			m := fine()
			m.Data = slices.Repeat([][]byte{{1, 0}}, 100_001)
			return m.Bytes()
		}),
		refused(8, "1001 imports", plugin.KindLimit, "1000 are allowed", func() []byte {
			m := fine()
			for range 1_001 {
				m.Imports = append(m.Imports, function{Module: abi.Module, Name: "log", Params: tI32 + tI32 + tI32})
			}
			return m.Bytes()
		}),
	}
	return append(all, slowGuests()...)
}

// phiBomb carries 200 values through blocks that many branches leave.
func phiBomb() []byte {
	m := fine()
	m.Types = [][]byte{signature("", string(again(200, tI32[0])))}
	values := again(200, 0x41, 0)
	one := seq(code{0x02, 0}, values, again(40, 0x41, 0, 0x0d, 0), end, again(200, 0x1a))
	return m.Add(function{Body: slices.Repeat(one, 40)}).Bytes()
}

// slowGuests returns guests that are as expensive as allowed. They must compile, and do so quickly.
func slowGuests() []Guest {
	slow := func(name string, module func() []byte) Guest {
		return Guest{Line: 6, Name: name, Module: module, Benign: true}
	}
	return []Guest{
		slow("500 nested blocks", func() []byte { return attack(again(500, 0x02, 0x40), again(500, 0x0b)) }),
		slow("1500 ifs in a row", func() []byte { return attack(again(1_500, 0x41, 0, 0x04, 0x40, 0x0b)) }),
		slow("20 nested loops over 900 locals", func() []byte {
			return fine().Add(function{Locals: locals(900, tI64), Body: seq(again(20, 0x03, 0x40), again(20, 0x0b))}).Bytes()
		}),
		slow("500 memory.fills", func() []byte {
			return attack(again(500, seq(i32(0), i32(0), i32(0), fill)...))
		}),
		slow("2000 functions", func() []byte {
			m := fine()
			m.Functions = append(m.Functions, make([]function, 2_000)...)
			return m.Bytes()
		}),
		slow("exits of 100 leaf loops", func() []byte {
			return attack(again(100, block(loop(again(20, 0x41, 0, 0x0d, 1)))...))
		}),
	}
}
