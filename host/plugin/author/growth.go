package author

import "math"

// growth tells a guest that leaks from one that has found its size. Memory never shrinks, so a guest that leaks keeps growing; one that
// does not stops after some calls. The first calls are not counted, see [situation.measure].
type growth struct {
	times int   // how often the memory has grown
	bytes int64 // by how much, in all
}

// leaks is how often the memory of a guest that leaks grows at least.
const leaks = 2

// saw counts a call after which the memory has a size; before is the size after the call before it, or 0 if that is not known.
func (g *growth) saw(before, after int64) {
	if before > 0 && after > before {
		g.times++
		g.bytes += after - before
	}
}

// leak returns by how many bytes the memory grows in one of so many calls; 0 if it does not keep growing.
func (g *growth) leak(calls int) float64 {
	if g.times < leaks || calls == 0 {
		return 0
	}
	return math.Round(10*float64(g.bytes)/float64(calls)) / 10
}
