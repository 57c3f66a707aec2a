// Package memtest measures how much a function allocates. Tests use it to check that decoders stay within a bound.
package memtest

import "runtime"

// Within reports whether f allocates at most limit bytes in total, including bytes freed since, and how many it
// allocated. Allocations of other goroutines count too, so Within repeats a measurement that exceeds the limit
// before it reports failure.
func Within(limit uint64, f func()) (allocated uint64, ok bool) {
	for range 5 {
		if allocated = measure(f); allocated <= limit {
			return allocated, true
		}
	}
	return allocated, false
}

func measure(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Bound returns how many bytes decoding a document of this length and number of values may allocate. Package wire
// promises this bound for a document that passed its checks.
func Bound(documentBytes, values int) uint64 {
	return 64<<10 + 16*uint64(documentBytes) + 512*uint64(values)
}
