//go:build unix

package sqlite

import (
	"os"
	"syscall"
)

// readable checks whether this process may read a file, without opening it. SQLite itself says only that it cannot open it.
func readable(path string) error {
	const read = 4 // R_OK
	if err := syscall.Access(path, read); err != nil {
		return &os.PathError{Op: "open", Path: path, Err: err}
	}
	return nil
}
