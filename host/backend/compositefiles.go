package backend

import (
	"context"
	"errors"
	"io"
	"path"
	"slices"
	"strings"
)

// compositeFiles is the tree of a [Composite]. The first branch is the default, whose directory is the root.
type compositeFiles []branch

var (
	_ Files    = compositeFiles(nil)
	_ Searcher = compositeFiles(nil)
)

// branch is the files below a directory.
type branch struct {
	dir   string
	files Files
}

// of returns the branch that a path belongs to, which has the longest directory.
func (c compositeFiles) of(name string) branch {
	found := c[0]
	for _, b := range c[1:] {
		if Within(b.dir, name) && len(b.dir) > len(found.dir) {
			found = b
		}
	}
	return found
}

// under returns the branches below a directory, other than its own, in the order of a walk.
func (c compositeFiles) under(dir string) []branch {
	var found []branch
	for _, b := range c[1:] {
		if b.dir != dir && Within(dir, b.dir) {
			found = append(found, b)
		}
	}
	slices.SortFunc(found, func(a, b branch) int { return comparePaths(a.dir, b.dir) })
	return found
}

// inner returns a path as the branch has it.
func (b branch) inner(name string) string {
	switch {
	case b.dir == "/":
		return name
	case name == b.dir:
		return "/"
	}
	return name[len(b.dir):]
}

// outer returns a path of the branch as the tree has it.
func (b branch) outer(name string) string {
	switch {
	case b.dir == "/":
		return name
	case name == "/":
		return b.dir
	}
	return b.dir + name
}

func (b branch) info(i Info) Info {
	i.Path = b.outer(i.Path)
	return i
}

// failed returns an error of the branch with the path of the tree.
func (b branch) failed(err error) error {
	own, ok := errors.AsType[*Error](err)
	if !ok {
		return err
	}
	out := *own
	out.Path = b.outer(own.Path)
	return &out
}

// Stat describes a file or directory. A directory above a branch exists.
func (c compositeFiles) Stat(ctx context.Context, name string) (Info, error) {
	b := c.of(name)
	info, err := b.files.Stat(ctx, b.inner(name))
	if Is(err, NotFound) && len(c.under(name)) > 0 {
		return Info{Path: name, Dir: true}, nil
	}
	if err != nil {
		return Info{}, b.failed(err)
	}
	return b.info(info), nil
}

// Open opens a file.
func (c compositeFiles) Open(ctx context.Context, name string) (io.ReadCloser, Info, error) {
	b := c.of(name)
	file, info, err := b.files.Open(ctx, b.inner(name))
	if Is(err, NotFound) && len(c.under(name)) > 0 {
		return nil, Info{}, &Error{Path: name, Reason: IsDirectory}
	}
	if err != nil {
		return nil, Info{}, b.failed(err)
	}
	return file, b.info(info), nil
}

// List returns the entries of a directory, and the directories that lead to branches.
func (c compositeFiles) List(ctx context.Context, dir string) ([]Info, error) {
	b, under := c.of(dir), c.under(dir)
	listed, err := b.files.List(ctx, b.inner(dir))
	if err != nil && (len(under) == 0 || !Is(err, NotFound)) {
		return nil, b.failed(err)
	}
	var infos []Info
	seen := map[string]bool{}
	for _, u := range under {
		first, _, _ := strings.Cut(Relative(dir, u.dir), "/")
		if child := path.Join(dir, first); !seen[child] {
			seen[child] = true
			infos = append(infos, Info{Path: child, Dir: true})
		}
	}
	for _, info := range listed {
		if info = b.info(info); !seen[info.Path] {
			infos = append(infos, info)
		}
	}
	slices.SortFunc(infos, func(a, b Info) int { return strings.Compare(a.Path, b.Path) })
	return infos, nil
}

// Walk visits the files of all branches below a directory, in order.
func (c compositeFiles) Walk(ctx context.Context, dir string, visit func(Info) bool) (stopped bool, err error) {
	return c.walk(dir, visit, func(files Files, dir string, visit func(Info) bool) (bool, error) { return files.Walk(ctx, dir, visit) })
}

// Search visits the files of all branches in which a text may be, in order.
func (c compositeFiles) Search(ctx context.Context, dir, text string, visit func(Info) bool) (stopped bool, err error) {
	return c.walk(dir, visit, func(files Files, dir string, visit func(Info) bool) (bool, error) {
		return Search(ctx, files, dir, text, visit)
	})
}

func (c compositeFiles) walk(
	dir string, visit func(Info) bool, in func(files Files, dir string, visit func(Info) bool) (bool, error),
) (stopped bool, err error) {
	w := &compositeWalk{in: in, visit: visit, tree: c, waiting: c.under(dir)}
	own := c.of(dir)
	err = w.branch(own, own.inner(dir))
	if Is(err, NotFound) && len(w.waiting) > 0 {
		err = nil
	}
	if err == nil {
		err = w.before("")
	}
	return w.stopped, err
}

// compositeWalk is one walk through several branches.
type compositeWalk struct {
	in      func(files Files, dir string, visit func(Info) bool) (stopped bool, err error) // walks through a branch
	visit   func(Info) bool
	tree    compositeFiles
	waiting []branch // those that come later
	stopped bool     // a branch has more files than its walk visits
	ended   bool     // the visitor has seen enough
}

// branch walks through a branch. The branches below it come before the files that sort after them.
func (w *compositeWalk) branch(b branch, dir string) error {
	var inside error
	stopped, err := w.in(b.files, dir, func(info Info) bool {
		info = b.info(info)
		if inside = w.before(info.Path); inside != nil || w.ended {
			return false
		}
		if w.tree.of(info.Path).dir != b.dir { // out of sight
			return true
		}
		w.ended = !w.visit(info)
		return !w.ended
	})
	w.stopped = w.stopped || stopped
	if inside != nil {
		return inside
	}
	if err != nil {
		return b.failed(err)
	}
	return nil
}

// before walks through the branches that come before a path; "" means all that are left.
func (w *compositeWalk) before(name string) error {
	for len(w.waiting) > 0 && !w.ended && (name == "" || comparePaths(w.waiting[0].dir, name) < 0) {
		next := w.waiting[0]
		w.waiting = w.waiting[1:]
		if err := w.branch(next, "/"); err != nil && !Is(err, NotFound) {
			return err
		}
	}
	return nil
}

// Write replaces or creates a file. A path above a branch is a directory.
func (c compositeFiles) Write(ctx context.Context, name string, content []byte) error {
	b := c.of(name)
	if len(c.under(name)) > 0 {
		return &Error{Path: name, Reason: IsDirectory}
	}
	return b.failed(b.files.Write(ctx, b.inner(name), content))
}

// Edit replaces a text in a file.
func (c compositeFiles) Edit(ctx context.Context, name string, edit Edit) (int, error) {
	b := c.of(name)
	n, err := b.files.Edit(ctx, b.inner(name), edit)
	if Is(err, NotFound) && len(c.under(name)) > 0 {
		err = &Error{Path: b.inner(name), Reason: IsDirectory}
	}
	return n, b.failed(err)
}

// Remove removes a file, or a directory of one branch.
func (c compositeFiles) Remove(ctx context.Context, name string) error {
	b := c.of(name)
	switch {
	case name != "/" && len(c.under(name)) > 0, name == b.dir && name != "/":
		return &Error{Path: name, Reason: Mounted}
	}
	return b.failed(b.files.Remove(ctx, b.inner(name)))
}
