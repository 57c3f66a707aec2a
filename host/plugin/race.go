//go:build race

package plugin

// slowdown is how much longer the compiler may take: the race detector makes it slow.
const slowdown = 20
