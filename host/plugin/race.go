//go:build race

package plugin

// The race detector makes the compiler slow, and keeps several bytes for each one that the compiler writes.
const (
	slowdown = 20 // how much longer the compiler may take
	heavier  = 10 // how much more memory its process may have
)
