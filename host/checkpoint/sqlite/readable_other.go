//go:build !unix

package sqlite

// readable does not know whether this process may read a file.
func readable(string) error { return nil }
