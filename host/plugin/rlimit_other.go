//go:build !linux

package plugin

// limitMemory does nothing: GOMEMLIMIT, which the parent sets, is all there is.
func limitMemory(uint64) error { return nil }
