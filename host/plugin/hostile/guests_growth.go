package hostile

import (
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
)

// growthGuests returns guests that ask for memory.
func growthGuests() []Guest {
	limits := plugin.Limits{Memory: 16 << 16}
	memory := func(line int, name, says string, limits plugin.Limits, pieces ...code) Guest {
		return hookFault(line, name, plugin.KindMemory, says, limits, pieces...)
	}
	field := abi.FieldSpec{Name: "f", Lifetime: "run"}
	saying := func(text string) []byte { return mapOf(map[string]any{"state": map[string]any{"f": text}}) }
	sized := func(size, limit int) Guest { // a result of this size
		g := Guest{Line: 56, Benign: size <= limit, Limits: plugin.Limits{Result: limit}, Module: func() []byte {
			m := hooked(abi.BeforeModel, field)
			m.Memory = guestkit.Pages(64)
			frame := len(saying(strings.Repeat("x", size/2))) - size/2
			return m.On("before_model", m.Say(saying(strings.Repeat("x", size-frame)))).Bytes()
		}}
		if !g.Benign {
			g.Stage, g.Kinds, g.Says = "before_model", []plugin.Kind{plugin.KindLimit}, "the limit is"
		}
		return g
	}
	exact, larger := sized(1<<20, 1<<20), sized(1<<20+1, 1<<20)
	exact.Name, larger.Name = "result of exactly the limit", "result of one byte more than the limit"
	return []Guest{
		exact, larger,
		{Line: 12, Name: "table.grow without an end", Benign: true, Module: func() []byte { // it fails at the maximum that the host sets
			m := hooked(abi.BeforeModel)
			m.Tables = [][]byte{{0x70, 0, 1}}
			return m.On("before_model", code{0xd0, 0x70}, i32(1<<20), code{0xfc, 15, 0}, i32(-1), differ, when(trap),
				turns(100, 1, code{0xd0, 0x70}, i32(1000), code{0xfc, 15, 0}, drop), code{0xfc, 16, 0}, i32(64<<10), code{0x4b}, when(trap), nothing).Bytes()
		}},
		memory(35, "memory.grow by one page until it traps", "more memory than its limit", limits, forever(i32(1), grow, i32(-1), equal, when(trap))),
		hookFault(35, "memory.grow by one page for ever", plugin.KindFuel, "used up its fuel", plugin.Limits{Memory: 16 << 16, Fuel: 2_000_000}, forever(i32(1), grow, drop)),
		memory(35, "memory.grow by almost 4 GiB", "more memory than its limit", plugin.Limits{}, i32(0xfff0), grow, drop, trap),
		memory(35, "memory.grow by 2^32-1 pages", "more memory than its limit", plugin.Limits{}, i32(-1), grow, drop, i32(1<<16), grow, drop, i32(2_000), grow, drop, trap),
		{Line: 52, Name: "memory of exactly the limit", Benign: true, Limits: limits, Module: func() []byte {
			m := hooked(abi.BeforeModel, field)
			doc := saying("from a full memory")
			return m.On("before_model", i32(16-pages), grow, drop, i32(1), grow, i32(-1), differ, when(trap), m.Say(doc)).Bytes()
		}},
		{Line: 52, Name: "memory with a maximum", Benign: true, Module: func() []byte {
			m := fine()
			m.Memory = []byte{1, pages, pages + 1}
			return m.Bytes()
		}},
		{Line: 52, Name: "memory with a maximum of 4 GiB", Benign: true, Module: func() []byte {
			m := fine()
			m.Memory = []byte{1, pages, 0x80, 0x80, 0x04}
			return m.Bytes()
		}},
	}
}
