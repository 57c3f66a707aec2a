package backend

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
)

// Composite combines several backends in one tree, deepagents' CompositeBackend. Each route is a directory of the tree whose
// files are in another backend, where the directory is the root. The longest route that fits a path wins, and paths that fit
// none belong to Default, whose own files below a route are out of sight.
//
// Lists and searches see one tree: a directory above a route shows it, and a walk visits the files of all backends, in order. In
// deepagents only a search of the root does, and its patterns apply to the paths within each backend.
//
// A directory that contains a route cannot be deleted as a whole, nor can the directory of a route itself.
type Composite struct {
	Default Backend            // required
	Routes  map[string]Backend // by directory, such as "/memories/"; the slash at the end may be missing
	// ArtifactsRoot is the directory for files that middleware makes, such as large results. "": the root.
	ArtifactsRoot string
}

// Open opens all backends.
func (c Composite) Open(ctx context.Context, env host.Env, o Options) (opened *Opened, err error) {
	all := &mounts{}
	defer func() {
		if err != nil {
			err = errors.Join(err, all.close())
		}
	}()
	if c.Default == nil {
		return nil, errors.New("composite: default is missing; name the backend of the paths that fit no route, such as state")
	}
	if err := all.open(ctx, env, o, "/", c.Default); err != nil {
		return nil, fmt.Errorf("composite: default: %w", err)
	}
	for _, route := range slices.Sorted(maps.Keys(c.Routes)) {
		if err := c.openRoute(ctx, env, o, all, route); err != nil {
			return nil, fmt.Errorf("composite: the route %q: %w", route, err)
		}
	}
	opened = &Opened{At: all.at, State: all.fields, End: all.end, Close: all.close, InState: all.inState, IgnoresCase: all.ignoresCase}
	if c.ArtifactsRoot != "" {
		if opened.Artifacts, err = Clean(c.ArtifactsRoot); err != nil {
			return nil, fmt.Errorf("composite: artifacts_root: %w", err)
		}
	}
	return opened, nil
}

func (c Composite) openRoute(ctx context.Context, env host.Env, o Options, all *mounts, route string) error {
	if route == "" || route[0] != '/' {
		return errors.New("it must begin with a slash, such as /memories/")
	}
	dir, err := Clean(route)
	switch {
	case err != nil:
		return err
	case dir == "/":
		return errors.New("the root belongs to default")
	case slices.ContainsFunc(all.list, func(m mount) bool { return m.dir == dir }):
		return errors.New("the directory has a route already")
	case c.Routes[route] == nil:
		return errors.New("the backend is missing")
	}
	return all.open(ctx, env, o, dir, c.Routes[route])
}

// mounts are the open backends of a [Composite]; the first one is the default.
type mounts struct {
	list        []mount
	fields      []host.Field
	ignoresCase bool
}

// mount is a backend below a directory.
type mount struct {
	dir    string
	opened *Opened
}

func (m *mounts) open(ctx context.Context, env host.Env, o Options, dir string, b Backend) error {
	opened, err := b.Open(ctx, env, o)
	if err != nil {
		return err
	}
	m.list = append(m.list, mount{dir, opened})
	for _, field := range opened.State {
		if slices.ContainsFunc(m.fields, func(f host.Field) bool { return f.Name == field.Name }) {
			return fmt.Errorf("two backends keep their files in the field %q of the state; use state only once", field.Name)
		}
		m.fields = append(m.fields, field)
	}
	m.ignoresCase = m.ignoresCase || opened.IgnoresCase
	return nil
}

func (m *mounts) inState(path string) bool {
	tree := make(compositeFiles, len(m.list))
	for i, each := range m.list {
		tree[i].dir = each.dir
	}
	of := tree.of(path)
	for _, each := range m.list {
		if each.dir == of.dir {
			return each.opened.InState != nil && each.opened.InState(of.inner(path))
		}
	}
	return false
}

func (m *mounts) end(ctx context.Context, run string) {
	for _, each := range m.list {
		if each.opened.End != nil {
			each.opened.End(ctx, run)
		}
	}
}

func (m *mounts) close() error {
	var errs []error
	for _, each := range m.list {
		if each.opened.Close != nil {
			errs = append(errs, each.opened.Close())
		}
	}
	return errors.Join(errs...)
}

// at returns all files as one call sees them.
func (m *mounts) at(rt *host.Runtime, call string) (View, error) {
	tree := make(compositeFiles, len(m.list))
	views := make([]View, len(m.list))
	for i, each := range m.list {
		view, err := each.opened.At(rt, call)
		if err != nil {
			return View{}, err
		}
		tree[i], views[i] = branch{each.dir, view.Files}, view
	}
	update := func() (changed wire.Map) {
		for _, view := range views {
			if view.Update != nil {
				changed = append(changed, view.Update()...)
			}
		}
		return changed
	}
	return View{Files: tree, Update: update}, nil
}
