//go:build !race

package ratio

// Race reports whether the tests were built with the race detector, which makes them about ten times as slow. Tests that
// depend on real time, or repeat an operation very often, then do less.
const Race = false
