//go:build wasip1 && !tinygo

package sdk

// reserve does nothing: Go's heap grows by itself.
func reserve() {}
