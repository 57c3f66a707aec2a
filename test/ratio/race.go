//go:build race

package ratio

// Race reports whether the tests were built with the race detector, which makes them about ten times as slow. A test that depends
// on real time, or that repeats one thing very often, then does less.
const Race = true
