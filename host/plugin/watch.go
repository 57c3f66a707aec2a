package plugin

import "os"

// watch returns a function that reports whether the plugin's file has changed since this call, once for each change;
// nil if the file is not watched.
func (w Wasm) watch() func() bool {
	if !w.Watch || w.Path == "" || w.Bytes != nil {
		return nil
	}
	before, _ := os.Stat(w.Path) // a file that cannot be read is told when it is read
	return func() bool {
		now, err := os.Stat(w.Path)
		if err != nil || (before != nil && os.SameFile(before, now) && before.ModTime().Equal(now.ModTime()) && before.Size() == now.Size()) {
			return false // while it is gone, the plugin goes on as it is
		}
		before = now
		return true
	}
}
