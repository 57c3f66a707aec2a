package main

import (
	"os"
	"runtime"
	"runtime/debug"
)

// percentAtStart is how much the heap may grow before the first garbage collection, in percent of Go's smallest heap of 4 MiB.
const percentAtStart = 400

// delayCollection lets the heap grow to 16 MiB before the first garbage collection, where Go would collect at 4 MiB and again and again
// until the agent is built, and find little to free. After the first collection that begins from now on, everything is as usual. The
// variable GOGC takes precedence, and GOMEMLIMIT is kept in any case.
func delayCollection() {
	if os.Getenv("GOGC") != "" {
		return
	}
	usual := debug.SetGCPercent(percentAtStart)
	sentinel := new([64]byte) // too large for a block that several objects share, so the first collection frees it
	runtime.AddCleanup(sentinel, func(percent int) { debug.SetGCPercent(percent) }, usual)
}
