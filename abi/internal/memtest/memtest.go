// Package memtest measures what a function allocates. Tests use it to hold decoders to a bound.
package memtest

import "runtime"

// Within reports whether f allocates at most limit bytes in total, freed ones included, and how many it did. Other
// goroutines of the process count too, so a measurement beyond the limit is repeated before it is believed.
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

// Bound is how many bytes decoding a document of so many bytes and values may allocate: what package wire promises of
// a document that passed its checks.
func Bound(documentBytes, values int) uint64 {
	return 64<<10 + 16*uint64(documentBytes) + 512*uint64(values)
}
