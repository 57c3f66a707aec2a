package perform

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// These bound the directory of a manifest that is copied.
const (
	maxFiles = 10_000
	maxBytes = 256 << 20
)

// left are directories that are not copied, because no agent works on them.
var left = []string{".git", "node_modules"}

// copyDirectory copies a directory with everything below it. Links stay links.
func copyDirectory(from, to string) error {
	var files int
	var size int64
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		switch mode := entry.Type(); {
		case mode.IsDir() && slices.Contains(left, entry.Name()) && path != from:
			return filepath.SkipDir
		case mode.IsDir():
			return os.MkdirAll(target, 0o700)
		case mode&fs.ModeSymlink != 0:
			link, err := os.Readlink(path)
			if err != nil {
				return err
			}
			return os.Symlink(link, target) //nolint:gosec // a copy of the user's own files, in a directory that only this process knows
		case !mode.IsRegular():
			return nil // a socket or a pipe of a running program
		}
		n, err := copyFile(path, target)
		if files, size = files+1, size+n; err == nil && (files > maxFiles || size > maxBytes) {
			err = fmt.Errorf("the directory %s has more than %d files or %d MiB, too much to copy it for a case; "+
				"move the agent into a directory of its own, or add in_place: true to the case, which then works in the directory itself",
				from, maxFiles, maxBytes>>20)
		}
		return err
	})
}

func copyFile(from, to string) (n int64, err error) {
	source, err := os.Open(from) //nolint:forbidigo // it is a regular file
	if err != nil {
		return 0, err
	}
	defer func() { _ = source.Close() }()
	info, err := source.Stat()
	if err != nil {
		return 0, err
	}
	target, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, info.Mode().Perm()|0o200)
	if err != nil {
		return 0, err
	}
	n, err = io.Copy(target, io.LimitReader(source, maxBytes+1))
	if closing := target.Close(); err == nil {
		err = closing
	}
	return n, err
}
