package plugin

import "os"

// watch returns a function that reports whether the plugin's files have changed since this call, once for each change. It
// returns nil if they are not watched.
func (w Wasm) watch() func() bool {
	if !w.Watch || w.Path == "" || w.Bytes != nil {
		return nil
	}
	files, err := w.watched()
	if err != nil { // loading says what is wrong
		files = observe(w.Path)
	}
	return func() bool {
		changed := false
		for _, f := range files {
			changed = f.changed() || changed
		}
		if changed {
			if now, err := w.watched(); err == nil { // a broken source keeps its files: one of them will be repaired
				files = now
			}
		}
		return changed
	}
}

// watched returns the files of the plugin in their current state.
func (w Wasm) watched() ([]*watchedFile, error) {
	paths := []string{w.Path}
	if l := w.loader(); l != nil {
		var err error
		if paths, err = l.Files(w.Path); err != nil {
			return nil, err
		}
	}
	if len(w.Minisign) > 0 && w.Signature == nil {
		paths = append(paths, w.Path+SignatureSuffix)
	}
	return observe(paths...), nil
}

// observe returns files in their current state.
func observe(paths ...string) []*watchedFile {
	files := make([]*watchedFile, len(paths))
	for i, path := range paths {
		files[i] = &watchedFile{path: path}
		files[i].changed() // record the state
	}
	return files
}

// watchedFile is a file and its state when it was last checked.
type watchedFile struct {
	path string
	seen os.FileInfo
}

// changed reports whether the file has changed since the last call. A missing file counts as unchanged.
func (f *watchedFile) changed() bool {
	now, err := os.Stat(f.path)
	if err != nil {
		return false
	}
	before := f.seen
	f.seen = now
	return before == nil || !os.SameFile(before, now) || !before.ModTime().Equal(now.ModTime()) || before.Size() != now.Size()
}
