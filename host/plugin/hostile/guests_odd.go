package hostile

import (
	"fmt"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
)

// oddGuests returns modules that look strange but are valid. They must work.
func oddGuests() []Guest {
	odd := func(line int, name string, module func() []byte) Guest {
		return Guest{Line: line, Name: name, Benign: true, Module: module}
	}
	changed := func(line int, name string, change func(m *module)) Guest {
		return odd(line, name, func() []byte {
			m := fine()
			change(m)
			return m.Bytes()
		})
	}
	running := func(line int, name string, pieces ...code) Guest { return odd(line, name, is(attack(pieces...))) }
	return []Guest{
		odd(3, "padded numbers", func() []byte {
			m := hooked(abi.BeforeModel)
			m.Globals = [][]byte{{0x7f, 1, 0x41, 0, 0x0b}}
			return m.On("before_model", code("\x41\x80\x80\x80\x80\x00\x1a"), code{0x10}, padded(guestkit.SchedYield), drop,
				code("\x42\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x1a"), code{0x23}, padded(0), drop, nothing).Bytes()
		}),
		changed(3, "data announced, and none there", func(m *module) { m.DataCount = true }),
		changed(25, "custom section that claims another manifest", func(m *module) {
			m.Before = custom("agenthost", []byte(`{"name":"redact","capabilities":["http.fetch"]}`)...)
		}),
		changed(3, "custom sections everywhere", func(m *module) {
			m.Before = slices.Concat(custom("producers", 1, 2, 3), custom("", 0xff), custom("target_features"))
			m.After = slices.Concat(custom("name", 0, 2, 1, 'm'), custom(".debug_info", make([]byte, 10_000)...), custom("linking", 0xff, 0xff))
		}),
		changed(3, "empty custom section at the end", func(m *module) { m.After = custom("") }),
		changed(3, "custom section with nothing but its name at the end", func(m *module) { m.After = custom("x") }),
		changed(22, "start that works", func(m *module) {
			m.Start = m.Next()
			m.Add(function{Body: poke(buffer, 7)})
		}),
		changed(22, "start that speaks and reads", func(m *module) {
			m.Start = m.Next()
			m.Add(function{Body: seq(m.Log(1, "hello"), m.Print(1, "hello\n"), i32(0), i32(buffer), call(guestkit.InputRead), drop,
				i32(0), i32(100), call(guestkit.RandomGet), when(trap))})
		}),
		changed(23, "_initialize that works", func(m *module) { m.Add(function{Name: "_initialize", Body: poke(buffer, 7)}) }),
		changed(9, "5000 exports", func(m *module) {
			for i := range 5_000 {
				m.Exports = append(m.Exports, append(name(fmt.Sprint("export ", i)), 2, 0))
			}
		}),
		changed(8, "empty functions", func(m *module) { m.Functions = append(m.Functions, make([]function, 100)...) }),
		changed(34, "passive segments", func(m *module) {
			m.Tables, m.DataCount = [][]byte{{0x70, 0, 4}, {0x6f, 1, 0, 10}}, true
			m.Data = [][]byte{{1, 0}, {1, 3, 1, 2, 3}}
			m.Elements = [][]byte{{1, 0, 0}, {3, 0, 1, 0}, {5, 0x6f, 1, 0xd0, 0x6f, 0x0b}}
			m.On("call_tool", i32(0), i32(0), i32(3), code{0xfc, 8, 2, 0, 0xfc, 9, 2, 0xfc, 13, 0}, nothing)
		}),
		changed(11, "16 tables of 65536", func(m *module) {
			m.Tables = slices.Repeat([][]byte{append([]byte{0x6f, 0}, leb(65_536)...)}, 16)
		}),
		changed(11, "active segment beyond its table", func(m *module) { // wazero reports no error, and writes nothing
			m.Tables, m.Elements = [][]byte{{0x70, 0, 1}}, [][]byte{{0, 0x41, 0xe4, 0, 0x0b, 1, 0}}
		}),
		odd(6, "blocks of many values", func() []byte {
			m := hooked(abi.BeforeModel)
			m.Types = [][]byte{signature(tI32+tI32, tI32+tI32+tI64)}
			return m.On("before_model", i32(1), i32(2), code{0x02, 0}, i64(3), end, drop, drop, drop, nothing).Bytes()
		}),
		running(6, "1000 nested blocks", again(1_000, 0x02, 0x40), again(1_000, 0x0b)),
		running(29, "vectors", code{0xfd, 12}, again(16, 3), code{0xfd, 0x60, 0xfd, 0x83, 0x01, 0x1a}),
		running(7, "br_table of 5000 labels", block(i32(3), code{0x0e}, leb(5_000), again(5_001, 0))),
		running(47, "everything of length 0", i32(-1), i32(0), call(guestkit.RandomGet), drop, i32(1), i32(0), i32(0), i32(8), call(guestkit.FdWrite), drop),
		odd(13, "memory of no pages", func() []byte {
			doc := document(&abi.Description{ABI: abi.Major, Name: "hostile", Version: "1.0.0"})
			m := guestkit.Bare()
			m.Memory, m.DataCount, m.Data = guestkit.Pages(0), true, [][]byte{slices.Concat([]byte{1}, name(string(doc)))}
			return m.Add(function{Name: abi.Marker}).Describe(i32(1), grow, drop, i32(0), i32(0), i32(len(doc)), code{0xfc, 8, 0, 0},
				i32(0), i32(len(doc)), call(guestkit.ResultWrite), drop, i32(1)).Bytes()
		}),
		odd(20, "hook that is exported and not listed", func() []byte { return fine().On("after_model", trap).On("call_tool", trap).Bytes() }),
		odd(20, "no hooks at all", func() []byte { return newModule(abi.Description{}).Bytes() }),
		odd(69, "log at every level", func() []byte {
			m := hooked(abi.BeforeModel)
			return m.On("before_model", m.Log(0, "a"), m.Log(1, "b"), m.Log(2, "c"), m.Log(3, "Grüße, 世界"), nothing).Bytes()
		}),
	}
}
