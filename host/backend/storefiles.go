package backend

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/host/store"
)

// storeFiles is the files of one namespace of a store.
type storeFiles struct {
	values    store.Store
	quota     store.Quota
	namespace func() (store.Namespace, error)
}

var _ Files = (*storeFiles)(nil)

// maxConflicts is how often an edit is made again because somebody else has changed the file meanwhile.
const maxConflicts = 100

// lastName sorts after the names that paths usually have.
const lastName = "\U0010ffff"

// get reads a file.
func (s *storeFiles) get(ctx context.Context, name string) (store.Entry, error) {
	ns, err := s.namespace()
	if err != nil {
		return store.Entry{}, &Error{Path: name, Err: err}
	}
	entry, found, err := s.values.Get(ctx, ns, name)
	switch {
	case err != nil:
		return store.Entry{}, storeError(ctx, name, err)
	case found && name != "/":
		return entry, nil
	}
	directory, err := s.directory(ctx, name)
	switch {
	case err != nil:
		return store.Entry{}, err
	case directory:
		return store.Entry{}, &Error{Path: name, Reason: IsDirectory}
	}
	return store.Entry{}, &Error{Path: name, Reason: NotFound}
}

// page returns the entries with a prefix, without their values.
func (s *storeFiles) page(ctx context.Context, name, prefix, after string, limit int) (store.Page[store.Entry], error) {
	ns, err := s.namespace()
	if err != nil {
		return store.Page[store.Entry]{}, &Error{Path: name, Err: err}
	}
	if len(prefix) > store.MaxKey {
		return store.Page[store.Entry]{}, nil
	}
	page, err := s.values.List(ctx, ns, store.Query{Prefix: prefix, After: after, Limit: limit})
	return page, storeError(ctx, name, err)
}

// file reports whether there is a file of this name. The first entry with a prefix is the one that is the prefix.
func (s *storeFiles) file(ctx context.Context, name string) (Info, bool, error) {
	page, err := s.page(ctx, name, name, "", 1)
	if err != nil || name == "/" || len(page.Items) == 0 || page.Items[0].Key != name {
		return Info{}, false, err
	}
	return storedInfo(&page.Items[0]), true, nil
}

// directory reports whether there is a directory of this name.
func (s *storeFiles) directory(ctx context.Context, name string) (bool, error) {
	if name == "/" {
		return true, nil
	}
	page, err := s.page(ctx, name, below(name), "", 1)
	return len(page.Items) > 0, err
}

// Stat describes a file, or a directory that contains files.
func (s *storeFiles) Stat(ctx context.Context, name string) (Info, error) {
	info, found, err := s.file(ctx, name)
	if err != nil || found {
		return info, err
	}
	directory, err := s.directory(ctx, name)
	switch {
	case err != nil:
		return Info{}, err
	case directory:
		return Info{Path: name, Dir: true}, nil
	}
	return Info{}, &Error{Path: name, Reason: NotFound}
}

// Open reads a file.
func (s *storeFiles) Open(ctx context.Context, name string) (io.ReadCloser, Info, error) {
	entry, err := s.get(ctx, name)
	if err != nil {
		return nil, Info{}, err
	}
	return io.NopCloser(bytes.NewReader(entry.Value)), storedInfo(&entry), nil
}

// List returns the files and directories in a directory. It reads each entry below the directory at most once, and of a
// subdirectory only what is in a page.
func (s *storeFiles) List(ctx context.Context, dir string) ([]Info, error) {
	var infos []Info
	last := "" // the subdirectory of the last entry; those of one subdirectory follow each other
	for after, more := "", true; more; {
		page, err := s.page(ctx, dir, below(dir), after, store.MaxPage)
		if err != nil {
			return nil, err
		}
		for i := range page.Items {
			entry := &page.Items[i]
			first, _, deeper := strings.Cut(Relative(dir, entry.Key), "/")
			child := path.Join(dir, first)
			switch {
			case !deeper:
				infos = append(infos, storedInfo(entry))
			case child != last:
				last = child
				infos = append(infos, Info{Path: child, Dir: true})
			}
			after = entry.Key
			if end := below(child) + lastName; deeper && end > after && len(end) <= store.MaxKey {
				after = end
			}
		}
		more = page.More && len(page.Items) > 0 && len(infos) < MaxVisited
	}
	if len(infos) == 0 && dir != "/" {
		if _, found, err := s.file(ctx, dir); err != nil || found {
			return nil, firstError(err, &Error{Path: dir, Reason: NotDir})
		}
		return nil, &Error{Path: dir, Reason: NotFound}
	}
	slices.SortFunc(infos, func(a, b Info) int { return strings.Compare(a.Path, b.Path) })
	return infos, nil
}

// Walk visits the files below a directory.
func (s *storeFiles) Walk(ctx context.Context, dir string, visit func(Info) bool) (stopped bool, err error) {
	info, found, err := s.file(ctx, dir)
	if err != nil {
		return false, err
	}
	infos := []Info{info}
	if !found {
		if infos, stopped, err = s.all(ctx, dir); err != nil {
			return false, err
		}
	}
	if len(infos) == 0 && dir != "/" {
		return false, &Error{Path: dir, Reason: NotFound}
	}
	for _, info := range infos {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		if !visit(info) {
			return false, nil
		}
	}
	return stopped, nil
}

// all returns the files below a directory in the order of a walk, and whether there are more than [MaxVisited].
func (s *storeFiles) all(ctx context.Context, dir string) (infos []Info, more bool, err error) {
	for after := ""; ; after = infos[len(infos)-1].Path {
		page, err := s.page(ctx, dir, below(dir), after, store.MaxPage)
		if err != nil {
			return nil, false, err
		}
		for i := range page.Items {
			if len(infos) == MaxVisited {
				more = true
				break
			}
			infos = append(infos, storedInfo(&page.Items[i]))
		}
		if more || !page.More || len(page.Items) == 0 {
			break
		}
	}
	slices.SortFunc(infos, func(a, b Info) int { return comparePaths(a.Path, b.Path) })
	return infos, more, nil
}

// Write replaces or creates a file.
func (s *storeFiles) Write(ctx context.Context, name string, content []byte) error {
	if err := writable(name, len(content)); err != nil {
		return err
	}
	directory, err := s.directory(ctx, name)
	switch {
	case err != nil:
		return err
	case directory:
		return &Error{Path: name, Reason: IsDirectory}
	}
	for dir := path.Dir(name); dir != "/"; dir = path.Dir(dir) {
		if _, found, err := s.file(ctx, dir); err != nil || found {
			return firstError(err, &Error{Path: name, Reason: NotDir})
		}
	}
	return s.put(ctx, name, content, nil)
}

func (s *storeFiles) put(ctx context.Context, name string, content []byte, ifVersion *uint64) error {
	ns, err := s.namespace()
	if err != nil {
		return &Error{Path: name, Err: err}
	}
	_, err = s.values.Put(ctx, ns, name, content, store.PutOptions{Quota: s.quota, IfVersion: ifVersion, NoIndex: true})
	return storeError(ctx, name, err)
}

// Edit reads, changes and writes a file, again if somebody else has written it meanwhile.
func (s *storeFiles) Edit(ctx context.Context, name string, edit Edit) (int, error) {
	for range maxConflicts {
		entry, err := s.get(ctx, name)
		if err != nil {
			return 0, err
		}
		content, n, err := edit.Apply(name, entry.Value)
		if err != nil {
			return 0, err
		}
		switch err = s.put(ctx, name, content, &entry.Version); {
		case err == nil:
			return n, nil
		case !errors.Is(err, store.ErrConflict):
			return 0, err
		}
	}
	return 0, &Error{Path: name, Err: store.ErrConflict}
}

// Remove removes a file, or all files of a directory.
func (s *storeFiles) Remove(ctx context.Context, name string) error {
	if name == "/" {
		return &Error{Path: name, Reason: IsRoot}
	}
	ns, err := s.namespace()
	if err != nil {
		return &Error{Path: name, Err: err}
	}
	_, found, err := s.file(ctx, name)
	if err == nil && found {
		err = s.values.Delete(ctx, ns, name, nil)
	}
	for err == nil {
		var page store.Page[store.Entry]
		if page, err = s.page(ctx, name, below(name), "", store.MaxPage); err != nil || len(page.Items) == 0 {
			break
		}
		found = true
		for i := range page.Items {
			if err = s.values.Delete(ctx, ns, page.Items[i].Key, nil); err != nil {
				break
			}
		}
	}
	switch {
	case err != nil:
		return storeError(ctx, name, err)
	case !found:
		return &Error{Path: name, Reason: NotFound}
	}
	return nil
}

// below returns the prefix of everything in a directory.
func below(dir string) string {
	if dir == "/" {
		return dir
	}
	return dir + "/"
}

func storedInfo(e *store.Entry) Info {
	return Info{Path: e.Key, Size: int64(e.Size), Modified: e.Updated}
}

// firstError returns the first error that is not nil.
func firstError(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// storeError returns an error of the store as an [*Error] about a path; nil stays nil.
func storeError(ctx context.Context, name string, err error) error {
	own, ok := errors.AsType[*Error](err)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case ok:
		return own
	case errors.Is(err, store.ErrQuota):
		return &Error{Path: name, Reason: Full, Err: err}
	case errors.Is(err, store.ErrInvalid):
		return &Error{Path: name, Reason: BadPath, Err: err}
	}
	return &Error{Path: name, Err: err}
}
