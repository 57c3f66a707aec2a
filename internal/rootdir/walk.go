package rootdir

import (
	"context"
	"io/fs"
	"path"
)

// MaxVisited is how many files and directories one walk visits.
const MaxVisited = 100_000

// Walk is the outcome of a walk.
type Walk struct {
	Unreadable int  // directories that could not be read
	Stopped    bool // the directory has more than [MaxVisited] entries
}

// Walk visits the entries below a directory, sorted by name, each directory before its entries. It visits symbolic links
// and does not follow them. It ends without an error when visit returns false, and with the cause of the context when the
// context ends. A directory cannot be skipped: the caller ignores its entries.
func (d *Dir) Walk(ctx context.Context, dir string, visit func(name string, entry fs.DirEntry) bool) (Walk, error) {
	var w Walk
	visited := 0
	err := fs.WalkDir(d.root.FS(), dir, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil: // WalkDir visits a directory again when it cannot read it
			w.Unreadable++
			return nil //nolint:nilerr // an unreadable directory does not hide the others
		case name == dir:
			return nil
		case visited >= MaxVisited:
			w.Stopped = true
			return fs.SkipAll
		}
		visited++
		if !visit(path.Clean(name), entry) {
			return fs.SkipAll
		}
		return nil
	})
	return w, err
}
