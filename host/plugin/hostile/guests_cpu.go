package hostile

import (
	"slices"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
)

// Limits of guests that would otherwise take seconds.
var (
	littleFuel = plugin.Limits{Fuel: 2_000_000}
	littleTime = plugin.Limits{Fuel: 1 << 60, Deadline: 50 * time.Millisecond}
)

// hookFault returns a guest whose before_model causes a fault in its first call.
func hookFault(line int, name string, kind plugin.Kind, says string, limits plugin.Limits, pieces ...code) Guest {
	return Guest{
		Line: line, Name: name, Stage: "before_model", Kinds: []plugin.Kind{kind}, Says: says, Once: true, Limits: limits,
		Module: func() []byte { return attack(once(pieces...)) },
	}
}

// cpuGuests returns guests that take all the time that they can get.
func cpuGuests() []Guest {
	spend := func(line int, name string, pieces ...code) []Guest {
		return []Guest{
			hookFault(line, name, plugin.KindFuel, "used up its fuel of 2000000", littleFuel, pieces...),
			hookFault(line, name+" in time", plugin.KindDeadline, "more than its 50ms of time", littleTime, pieces...),
		}
	}
	whole := i32(pages << 16)
	all := slices.Concat(
		spend(30, "loop", forever()),
		spend(30, "loop that calls", forever(call(guestkit.SchedYield), drop)),
		spend(30, "loops in loops", forever(turns(1_000, 1, turns(3, 0)))),
		spend(30, "loop of divisions", forever(i32(7), i32(3), code{0x6d, 0x1a})),
		spend(33, "memory.fill of everything", forever(i32(0), i32(1), whole, fill)),
		spend(33, "memory.copy of everything", forever(i32(0), i32(0), whole, copying)),
		spend(33, "memory.fill of nothing", forever(i32(0), i32(1), i32(0), fill)),
		spend(33, "memory.fill in a straight line", forever(again(300, seq(i32(0), i32(1), i32(4096), fill)...))),
		spend(35, "memory.grow by nothing", forever(i32(0), grow, drop)),
	)
	return slices.Concat(all, tableStorms(), boundaryGuests())
}

// tableStorms returns guests that endlessly repeat instructions whose cost grows with their operand, and a few others.
func tableStorms() []Guest {
	var all []Guest
	for name, piece := range map[string]code{
		"table.fill":    seq(i32(0), code{0xd0, 0x70}, i32(60_000), code{0xfc, 17, 0}),
		"table.copy":    seq(i32(0), i32(0), i32(60_000), code{0xfc, 14, 0, 0}),
		"table.grow":    seq(code{0xd0, 0x70}, i32(1_000_000), code{0xfc, 15, 0}, drop),
		"table.init":    seq(i32(0), i32(0), i32(1), code{0xfc, 12, 1, 0}),
		"memory.init":   seq(i32(0), i32(0), i32(1), code{0xfc, 8, 1, 0}),
		"call_indirect": seq(i32(0), code{0x11, 0, 0}),
		"global.set":    seq(i32(1), op(0x24, 0)),
		"f64.sqrt":      {0x44, 0, 0, 0, 0, 0, 0, 0, 0x40, 0x9f, 0x1a},
		"f64x2.sqrt":    seq(code{0xfd, 12}, again(16, 3), code{0xfd, 0xef, 0x01, 0x1a}),
	} {
		g := hookFault(34, "storm of "+name, plugin.KindFuel, "used up its fuel", littleFuel)
		g.Module = func() []byte {
			m := hooked(abi.BeforeModel)
			m.Types, m.Tables = [][]byte{signature("", "")}, [][]byte{append([]byte{0x70, 0}, leb(60_000)...)}
			m.Globals = [][]byte{{0x7f, 1, 0x41, 0, 0x0b}}
			m.Elements = [][]byte{slices.Concat([]byte{0, 0x41, 0, 0x0b, 1}, leb(m.Next())), slices.Concat([]byte{1, 0, 1}, leb(m.Next()))}
			m.DataCount, m.Data = true, [][]byte{{1, 1, 7}} // the first segment is the Description
			m.Add(function{})
			return m.On("before_model", once(forever(piece)), nothing).Bytes()
		}
		all = append(all, g)
	}
	return all
}

// boundaryGuests returns guests that use exactly their fuel, or one unit more.
func boundaryGuests() []Guest {
	// Each turn of the hook's loop costs 1 unit of fuel, and so does its beginning; see package meter.
	exact := func(name string, fuel int64, benign bool) Guest {
		g := Guest{
			Line: 39, Name: name, Benign: benign, Limits: plugin.Limits{Fuel: fuel},
			Module: func() []byte {
				return hooked(abi.BeforeModel).On("before_model", turns(boundaryTurns, 1), nothing).Bytes()
			},
		}
		if !benign {
			g.Stage, g.Kinds, g.Says = "before_model", []plugin.Kind{plugin.KindFuel}, "used up its fuel"
		}
		return g
	}
	return []Guest{
		exact("fuel for exactly this", boundaryFuel, true),
		exact("fuel for one less", boundaryFuel-1, false),
		exact("no fuel at all", 1, false),
		hookFault(37, "loop that logs", plugin.KindFuel, "used up its fuel", littleFuel, forever(i32(0), i32(0), i32(8), call(guestkit.Log))),
	}
}

// The fuel that a loop of this many turns uses.
const (
	boundaryTurns = 100_000
	boundaryFuel  = boundaryTurns + 1
)
