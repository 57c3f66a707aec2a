package rootdir

import (
	"context"
	"io/fs"
	"path"
)

// Walk says how much a walk has seen.
type Walk struct {
	Visited    int
	Unreadable int  // directories that could not be read
	Stopped    bool // there is more than the limit
}

// Walk visits what is below a directory, names in order, a directory before what it has, and at most so many entries.
// Symbolic links are visited and not followed. It ends early, without an error, when visit says no, and with the cause of
// the context when that ends. [fs.SkipDir] cannot be said: who wants to leave a directory out ignores what is in it.
func (d *Dir) Walk(ctx context.Context, dir string, limit int, visit func(name string, entry fs.DirEntry) bool) (Walk, error) {
	var w Walk
	err := fs.WalkDir(d.root.FS(), dir, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil: // the second visit of a directory
			w.Unreadable++
			return nil //nolint:nilerr // one directory that cannot be read does not hide the others
		case name == dir:
			return nil
		case w.Visited >= limit:
			w.Stopped = true
			return fs.SkipAll
		}
		w.Visited++
		if !visit(path.Clean(name), entry) {
			return fs.SkipAll
		}
		return nil
	})
	return w, err
}
