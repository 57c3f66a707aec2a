package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// The bits of a file's mode that give others than its owner access.
const (
	groupOrOthers = 0o077
	othersWrite   = 0o022
)

// access tells of a file with conversations that others than its owner can use. A missing file is fine. Windows has no such
// permissions.
func (d *doctor) access(file string) {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&groupOrOthers == 0 || runtime.GOOS == "windows" {
		return
	}
	what := "read it"
	if info.Mode().Perm()&othersWrite != 0 {
		what = "read and change it"
	}
	d.note("access to "+filepath.Base(file), fmt.Sprintf("%s has the mode %04o, so others than its owner can %s; it holds conversations",
		file, info.Mode().Perm(), what), "chmod 600 "+file)
}

// databaseFiles are the suffixes of the files of a SQLite database.
var databaseFiles = []string{"", "-wal", "-shm", "-journal"}

// cassettes checks the recordings next to the manifest.
func (d *doctor) cassettes(context.Context) {
	dir := filepath.Dir(d.file)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // the manifest is missing too, which another check reports
	}
	for _, entry := range entries {
		if filepath.Ext(entry.Name()) == ".cassette" && entry.Type()&(fs.ModeDir|fs.ModeNamedPipe) == 0 {
			d.access(filepath.Join(dir, entry.Name()))
		}
	}
}
