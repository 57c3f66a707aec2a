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
	w := walk{dir: d, visit: visit}
	_, err := w.below(ctx, dir)
	return w.Walk, err
}

// walk is a walk in progress.
type walk struct {
	Walk

	dir     *Dir
	visit   func(name string, entry fs.DirEntry) bool
	visited int
}

// below visits the entries below a directory. It reports whether the walk goes on.
func (w *walk) below(ctx context.Context, dir string) (more bool, err error) {
	entries, err := w.dir.ReadDir(dir)
	if err != nil { // an unreadable directory does not hide the others
		w.Unreadable++
	}
	for _, entry := range entries {
		switch {
		case ctx.Err() != nil:
			return false, context.Cause(ctx)
		case w.visited >= MaxVisited:
			w.Stopped = true
			return false, nil
		}
		w.visited++
		name := path.Join(dir, entry.Name())
		if !w.visit(name, entry) {
			return false, nil
		}
		if entry.IsDir() {
			if more, err := w.below(ctx, name); !more {
				return false, err
			}
		}
	}
	return true, nil
}
