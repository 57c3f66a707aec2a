//go:build !race

package plugin

const slowdown = 1
