// Package rootdir reads and writes the files below one directory of the disk, and no others. The operating system resolves
// every name below the open directory (os.Root), so there is no moment between a check and a use in which a name could
// change its meaning: neither "..", nor a symbolic link, nor a link made during a call leads outside.
//
// Every rule about safety is here: which names are valid, which links are followed, that pipes and devices are refused, and
// how many entries a walk visits. Callers only put the [Reason] of an [Error] into words.
package rootdir

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"
)

// Dir is an open directory. Its methods take names as [Name] returns them, report an [*Error], and are safe for concurrent
// use.
type Dir struct{ root *os.Root }

// Open opens a directory, which the caller must close. Its error is that of the operating system and contains the path.
func Open(dir string) (*Dir, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Dir{root}, nil
}

// Close closes the directory. Later calls of its methods fail.
func (d *Dir) Close() error { return d.root.Close() }

// Name converts a path that a model gave into a name below the root: clean, with slashes, and "." for the root itself. A
// leading slash means the root. The reason of an error is [Outside] or [BadName].
func Name(given string) (string, error) {
	if !utf8.ValidString(given) || strings.ContainsRune(given, 0) {
		return "", &Error{Reason: BadName}
	}
	name := path.Clean(strings.TrimLeft(filepath.ToSlash(given), "/"))
	switch {
	case name == "..", strings.HasPrefix(name, "../"):
		return "", &Error{Reason: Outside}
	case !filepath.IsLocal(filepath.FromSlash(name)): // a drive, or a device of Windows
		return "", &Error{Reason: BadName}
	}
	return name, nil
}

// Stat describes a file or directory. It follows symbolic links.
func (d *Dir) Stat(name string) (fs.FileInfo, error) {
	info, err := d.root.Stat(filepath.FromSlash(name))
	return info, errorOf(err)
}

// Lstat describes a file, a directory or a symbolic link. It follows links only before the last element.
func (d *Dir) Lstat(name string) (fs.FileInfo, error) {
	info, err := d.root.Lstat(filepath.FromSlash(name))
	return info, errorOf(err)
}

// OpenFile opens a regular file for reading. It refuses directories, pipes and devices, and never blocks on them.
func (d *Dir) OpenFile(name string) (*os.File, fs.FileInfo, error) {
	file, err := d.root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, errorOf(err)
	}
	info, err := file.Stat()
	switch {
	case err != nil:
	case info.IsDir():
		err = &Error{Reason: IsDirectory}
	case !info.Mode().IsRegular():
		err = &Error{Reason: NotRegular}
	default:
		return file, info, nil
	}
	return nil, nil, errorOf(errors.Join(err, file.Close()))
}

// ReadDir returns the entries of a directory, sorted by name. It does not follow the links among them.
func (d *Dir) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(d.root.FS(), name)
	return entries, errorOf(err)
}

// RemoveAll removes a file, or a directory with everything in it. It removes a symbolic link, never the link's target.
func (d *Dir) RemoveAll(name string) error {
	return errorOf(d.root.RemoveAll(filepath.FromSlash(name)))
}
