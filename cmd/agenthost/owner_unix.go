//go:build unix

package main

import (
	"io/fs"
	"os"
	"syscall"
)

// owned reports whether the user of this process owns a file.
func owned(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int64(stat.Uid) == int64(os.Geteuid())
}
