package author

import (
	"fmt"
	"math"
	"slices"
)

// growth tells a guest that leaks from one that has found its size. Memory never shrinks, so a guest that leaks keeps growing. A
// garbage collector lets the memory grow by some megabytes before it settles.
type growth struct {
	limit    int64 // of the memory of an instance, in bytes
	instance uint64
	base     int64 // size of its memory when it was first seen, in bytes
	calls    int   // that it has served since then
	worst    growthOf
}

// growthOf is how much the memory of one instance has grown, and in how many calls.
type growthOf struct {
	bytes int64
	calls int
}

// settled is by how much the memory of a guest may grow that does not leak, in bytes.
const settled = 8 << 20

// saw notes the size of an instance's memory after a call.
func (g *growth) saw(instance uint64, memory int64) {
	if instance != g.instance {
		g.instance, g.base, g.calls = instance, memory, 0
		return
	}
	g.calls++
	if grown := memory - g.base; grown > g.worst.bytes {
		g.worst = growthOf{grown, g.calls}
	}
}

// grown returns by how many bytes the memory of an instance has grown.
func (g *growth) grown() int64 { return g.worst.bytes }

// leak returns by how many bytes the memory grows in one call; 0 if it does not keep growing.
func (g *growth) leak() float64 {
	if g.worst.bytes < min(settled, g.limit/4) {
		return 0
	}
	return math.Round(10*float64(g.worst.bytes)/float64(g.worst.calls)) / 10
}

// What is worth a warning: memory that has grown by so many bytes, and the fuel of a call that has risen to so many times what it was.
const (
	muchGrown = 1 << 20
	muchRisen = 1.5
	fewFuel   = 1000 // differences below it do not matter
)

// rise returns how many times as much fuel the last tenth of the calls took as the first one; 0 if there are too few calls to tell.
func rise(fuel []uint64) (times float64, from, to uint64) {
	tenth := len(fuel) / 10
	if tenth < 3 {
		return 0, 0, 0
	}
	from = quantiles(slices.Clone(fuel[:tenth])).P50
	to = quantiles(slices.Clone(fuel[len(fuel)-tenth:])).P50
	return math.Round(100*float64(to)/float64(max(1, from))) / 100, from, to
}

// warnings returns what the author should know about growth.
func (m *benchedPlugin) warnings() (warnings []Warning) {
	leak, grown := m.growth.leak(), m.growth.grown()
	switch {
	case leak > 0:
		warnings = append(warnings, leakWarning(leak))
	case grown >= muchGrown:
		warnings = append(warnings, Warning{WarnGrowth, fmt.Sprintf("its memory has grown by %d KiB before it settled, and each instance keeps as much; "+
			"allocate less in a call, or free it before the next one", grown>>10)})
	}
	if times, from, to := rise(m.fuel); times >= muchRisen && to > from+fewFuel {
		warnings = append(warnings, Warning{WarnDearer, fmt.Sprintf("its calls become dearer: the first took %d fuel and the last %d; "+
			"keep nothing in variables that grows from call to call", from, to)})
	}
	return warnings
}

func leakWarning(leak float64) Warning {
	return Warning{WarnLeak, fmt.Sprintf("it leaks: its memory grows by %.0f bytes in each call, and the host replaces an instance "+
		"whose memory is half full; free what a call allocates", leak)}
}
