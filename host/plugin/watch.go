package plugin

import "os"

// watch returns a function that reports whether the plugin's file has changed since this call, once for each change. It
// returns nil if the file is not watched.
func (w Wasm) watch() func() bool {
	if !w.Watch || w.Path == "" || w.Bytes != nil {
		return nil
	}
	files := []*watchedFile{{path: w.Path}}
	if len(w.Minisign) > 0 && w.Signature == nil {
		files = append(files, &watchedFile{path: w.Path + SignatureSuffix})
	}
	for _, f := range files {
		f.changed() // record the current state
	}
	return func() bool {
		changed := false
		for _, f := range files {
			changed = f.changed() || changed
		}
		return changed
	}
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
