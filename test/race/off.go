//go:build !race

// Package race tells tests whether they were built with the race detector, which makes them about ten times as slow: what
// counts real time, or repeats one thing very often, does less then.
package race

// Enabled tells whether it is.
const Enabled = false
