package author

import "math"

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

// leak returns by how many bytes the memory grows in one call; 0 if it does not keep growing.
func (g *growth) leak() float64 {
	if g.worst.bytes < min(settled, g.limit/4) {
		return 0
	}
	return math.Round(10*float64(g.worst.bytes)/float64(g.worst.calls)) / 10
}
