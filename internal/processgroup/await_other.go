//go:build !linux && !darwin

package processgroup

// awaitEnd returns false: the end of a child cannot be awaited without reaping it.
func awaitEnd(int) bool { return false }
