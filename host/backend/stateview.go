package backend

import (
	"bytes"
	"context"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/agenthost/agenthost/abi/wire"
)

// stateView is the files of the state during one call of a hook or tool. A directory exists as long as it contains a file.
type stateView struct {
	state *stateSteps
	step  *step
	base  map[string]wire.Raw // the files at the start of the step
	own   *callChanges
	now   func() time.Time

	merged  map[string]wire.Raw // the result of files at a version of the step
	version int
}

var _ Files = (*stateView)(nil)

// files returns all current files. The caller must not change the map.
func (v *stateView) files() (map[string]wire.Raw, error) {
	v.state.mu.Lock()
	defer v.state.mu.Unlock()
	return v.filesLocked()
}

func (v *stateView) filesLocked() (map[string]wire.Raw, error) {
	if v.merged != nil && v.version == v.step.version {
		return v.merged, nil
	}
	files := maps.Clone(v.base)
	for _, call := range v.step.calls {
		for name, c := range call.changes {
			if err := c.apply(name, files); err != nil {
				return nil, err
			}
		}
	}
	v.merged, v.version = files, v.step.version
	return files, nil
}

// change records a change of the call. The caller holds the lock.
func (v *stateView) change(name string, c change) {
	v.own.changes[name] = c
	v.step.version++
}

// Stat describes a file, or a directory that contains files.
func (v *stateView) Stat(_ context.Context, name string) (Info, error) {
	files, err := v.files()
	if err != nil {
		return Info{}, err
	}
	if raw, ok := files[name]; ok {
		return entryInfo(name, raw)
	}
	if name == "/" || hasBelow(files, name) {
		return Info{Path: name, Dir: true}, nil
	}
	return Info{}, &Error{Path: name, Reason: NotFound}
}

// Open opens a file.
func (v *stateView) Open(_ context.Context, name string) (io.ReadCloser, Info, error) {
	files, err := v.files()
	if err != nil {
		return nil, Info{}, err
	}
	raw, ok := files[name]
	switch {
	case ok:
	case name == "/" || hasBelow(files, name):
		return nil, Info{}, &Error{Path: name, Reason: IsDirectory}
	default:
		return nil, Info{}, &Error{Path: name, Reason: NotFound}
	}
	entry, err := decodeEntry(name, raw)
	if err != nil {
		return nil, Info{}, err
	}
	content := entry.bytes()
	return io.NopCloser(bytes.NewReader(content)), Info{Path: name, Size: int64(len(content)), Modified: entry.modified()}, nil
}

// List returns the files and directories in a directory.
func (v *stateView) List(_ context.Context, dir string) ([]Info, error) {
	files, err := v.files()
	if err != nil {
		return nil, err
	}
	if _, ok := files[dir]; ok {
		return nil, &Error{Path: dir, Reason: NotDir}
	}
	below := sortedBelow(files, dir)
	if len(below) == 0 && dir != "/" {
		return nil, &Error{Path: dir, Reason: NotFound}
	}
	var infos []Info
	seen := map[string]bool{} // directories
	for _, name := range below {
		first, _, deeper := strings.Cut(Relative(dir, name), "/")
		child := path.Join(dir, first)
		switch {
		case !deeper:
			info, err := entryInfo(name, files[name])
			if err != nil {
				return nil, err
			}
			infos = append(infos, info)
		case !seen[child]:
			seen[child] = true
			infos = append(infos, Info{Path: child, Dir: true})
		}
	}
	slices.SortFunc(infos, func(a, b Info) int { return strings.Compare(a.Path, b.Path) })
	return infos, nil
}

// Walk visits the files below a directory.
func (v *stateView) Walk(ctx context.Context, dir string, visit func(Info) bool) (stopped bool, err error) {
	files, err := v.files()
	if err != nil {
		return false, err
	}
	names := sortedBelow(files, dir)
	if _, ok := files[dir]; ok {
		names = []string{dir}
	}
	if len(names) == 0 && dir != "/" {
		return false, &Error{Path: dir, Reason: NotFound}
	}
	for i, name := range names {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		if i >= MaxVisited {
			return true, nil
		}
		info, err := entryInfo(name, files[name])
		if err != nil {
			return false, err
		}
		if !visit(info) {
			break
		}
	}
	return false, nil
}

// Write replaces or creates a file.
func (v *stateView) Write(_ context.Context, name string, content []byte) error {
	if err := writable(name, len(content)); err != nil {
		return err
	}
	v.state.mu.Lock()
	defer v.state.mu.Unlock()
	files, err := v.filesLocked()
	if err != nil {
		return err
	}
	now := v.now().UTC().Format(time.RFC3339Nano)
	entry := Entry{CreatedAt: now, ModifiedAt: now}
	entry.Content, entry.Encoding = encoded(content)
	if err := place(files, name, int64(len(entry.Content))); err != nil {
		return err
	}
	if old, err := decodeEntry(name, files[name]); err == nil && old.CreatedAt != "" {
		entry.CreatedAt = old.CreatedAt
	}
	v.change(name, change{entry: entry.raw()})
	return nil
}

// Edit replaces a text in a file. The update contains the edit, not the new content, see [Field].
func (v *stateView) Edit(_ context.Context, name string, edit Edit) (int, error) {
	v.state.mu.Lock()
	defer v.state.mu.Unlock()
	files, err := v.filesLocked()
	if err != nil {
		return 0, err
	}
	raw, ok := files[name]
	if !ok {
		if name == "/" || hasBelow(files, name) {
			return 0, &Error{Path: name, Reason: IsDirectory}
		}
		return 0, &Error{Path: name, Reason: NotFound}
	}
	entry, err := decodeEntry(name, raw)
	if err != nil {
		return 0, err
	}
	content, n, err := edit.Apply(name, entry.bytes())
	if err != nil {
		return 0, err
	}
	if err := place(files, name, int64(len(content))); err != nil {
		return 0, err
	}
	entry.ModifiedAt = v.now().UTC().Format(time.RFC3339Nano)
	if before, ok := v.own.changes[name]; ok && before.edits == nil { // this call has created or replaced the file
		entry.Content, entry.Encoding = encoded(content)
		v.change(name, change{entry: entry.raw()})
		return n, nil
	}
	changed := &edits{modifiedAt: entry.ModifiedAt}
	if before := v.own.changes[name].edits; before != nil {
		changed.edits = slices.Clone(before.edits)
	}
	changed.edits = append(changed.edits, edit)
	v.change(name, change{edits: changed})
	return n, nil
}

// Remove removes a file, or all files of a directory.
func (v *stateView) Remove(_ context.Context, name string) error {
	if name == "/" {
		return &Error{Path: name, Reason: IsRoot}
	}
	v.state.mu.Lock()
	defer v.state.mu.Unlock()
	files, err := v.filesLocked()
	if err != nil {
		return err
	}
	names := sortedBelow(files, name)
	if _, ok := files[name]; ok {
		names = append(names, name)
	}
	if len(names) == 0 {
		return &Error{Path: name, Reason: NotFound}
	}
	for _, each := range names {
		v.change(each, change{remove: true})
	}
	return nil
}

// place checks that there is room for a file of this size at this path.
func place(files map[string]wire.Raw, name string, size int64) error {
	if hasBelow(files, name) {
		return &Error{Path: name, Reason: IsDirectory}
	}
	for dir := path.Dir(name); dir != "/"; dir = path.Dir(dir) {
		if _, ok := files[dir]; ok {
			return &Error{Path: name, Reason: NotDir}
		}
	}
	for other, raw := range files {
		if other != name {
			size += int64(len(raw))
		}
	}
	// An entry is longer than its content, and calls of one step may be merged in another order.
	if limit := int64(MaxState - MaxState/8); size > limit {
		return &Error{Path: name, Reason: Full, Size: size, Limit: limit}
	}
	return nil
}

func hasBelow(files map[string]wire.Raw, dir string) bool {
	for name := range files {
		if name != dir && Within(dir, name) {
			return true
		}
	}
	return false
}

// sortedBelow returns the names of the files below a directory in the order of a walk.
func sortedBelow(files map[string]wire.Raw, dir string) []string {
	var names []string
	for name := range files {
		if name != dir && Within(dir, name) {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, comparePaths)
	return names
}

func entryInfo(name string, raw wire.Raw) (Info, error) {
	entry, err := decodeEntry(name, raw)
	if err != nil {
		return Info{}, err
	}
	return Info{Path: name, Size: int64(len(entry.bytes())), Modified: entry.modified()}, nil
}

// modified returns the time of the last change; zero if the caller of a run has set an invalid one.
func (e Entry) modified() time.Time {
	t, _ := time.Parse(time.RFC3339Nano, e.ModifiedAt)
	return t
}
