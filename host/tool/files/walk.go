package files

import (
	"context"
	"io/fs"
	"path"
	"strings"
)

// maxVisited bounds how many entries one call looks at.
const maxVisited = 100_000

// walker visits what is below a directory, names in order, a directory before what it has. Symbolic links are visited and not followed.
type walker struct {
	root       *Root
	visited    int
	unreadable int // directories that could not be read
	stopped    bool
}

// walk calls visit with the path below the root and the one below dir. It ends early, without an error, when visit says no.
func (w *walker) walk(ctx context.Context, dir string, visit func(name, relative string, entry fs.DirEntry) bool) error {
	return fs.WalkDir(w.root.root.FS(), dir, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil: // the second visit of a directory
			w.unreadable++
			return nil //nolint:nilerr // one directory that cannot be read does not hide the others
		case name == dir:
			return nil
		case w.visited >= maxVisited:
			w.stopped = true
			return fs.SkipAll
		}
		w.visited++
		relative := name
		if dir != "." {
			relative = strings.TrimPrefix(name, dir+"/")
		}
		if !visit(path.Clean(name), relative, entry) {
			return fs.SkipAll
		}
		return nil
	})
}
