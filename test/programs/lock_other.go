//go:build !unix

package programs

// lock does nothing: the examples need a Unix shell anyway.
func lock(string) (unlock func(), err error) { return func() {}, nil }
