//go:build !race

package plugin

const (
	slowdown = 1
	heavier  = 1
)
