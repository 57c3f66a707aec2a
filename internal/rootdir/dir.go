// Package rootdir reaches the files below one directory of the disk, and no others. The operating system resolves every
// name below the open directory (os.Root), so that there is no moment between a check and a use: neither .. nor a symbolic
// link, nor one that is made while a call runs, leads outside.
package rootdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"
)

// Why a name is refused before the operating system is asked.
var (
	ErrOutside    = errors.New("leads out of the root directory")
	ErrBadName    = errors.New("is not a valid path")
	ErrDirectory  = errors.New("is a directory, not a file")
	ErrNotRegular = errors.New("is a pipe, a socket or a device, not a file")
	ErrLink       = errors.New("is a symbolic link; write to the file itself")
)

// Dir is an open directory. Its methods take names as [Name] returns them, and may be called from several goroutines at once.
type Dir struct{ root *os.Root }

// Open opens a directory. It must be closed.
func Open(dir string) (*Dir, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Dir{root}, nil
}

// Close closes the directory. Whatever is called later fails.
func (d *Dir) Close() error { return d.root.Close() }

// FS returns the directory as a file system.
func (d *Dir) FS() fs.FS { return d.root.FS() }

// Name turns a path that a model gave into a name below the root: with slashes, clean, "." for the root itself. A leading
// slash stands for the root. The error is [ErrOutside] or [ErrBadName].
func Name(given string) (string, error) {
	if !utf8.ValidString(given) || strings.ContainsRune(given, 0) {
		return "", ErrBadName
	}
	name := path.Clean(strings.TrimLeft(filepath.ToSlash(given), "/"))
	switch {
	case name == "..", strings.HasPrefix(name, "../"):
		return "", ErrOutside
	case !filepath.IsLocal(filepath.FromSlash(name)): // a drive, or a device of Windows
		return "", ErrBadName
	}
	return name, nil
}

// Stat describes what a name leads to, Lstat what stands there.
func (d *Dir) Stat(name string) (fs.FileInfo, error) { return d.root.Stat(filepath.FromSlash(name)) }

// Lstat describes a symbolic link itself.
func (d *Dir) Lstat(name string) (fs.FileInfo, error) { return d.root.Lstat(filepath.FromSlash(name)) }

// OpenFile opens a regular file for reading. A directory is [ErrDirectory]; a pipe or a device is [ErrNotRegular], and does
// not block.
func (d *Dir) OpenFile(name string) (*os.File, fs.FileInfo, error) {
	file, err := d.root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := file.Stat()
	switch {
	case err != nil:
	case info.IsDir():
		err = ErrDirectory
	case !info.Mode().IsRegular():
		err = ErrNotRegular
	default:
		return file, info, nil
	}
	return nil, nil, errors.Join(err, file.Close())
}

// Write replaces what a file holds, or makes it together with the directories that are missing, and reports whether it made
// it. Who reads it at that moment sees the old content or the new one, as does a machine that loses its power: the content
// goes to a new file of the same directory, which is then renamed. A file that is replaced keeps its permissions. Anything
// but a regular file is refused, a symbolic link too ([ErrLink]).
func (d *Dir) Write(name string, content []byte) (created bool, err error) {
	info, err := d.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		info = nil
		err = d.root.MkdirAll(filepath.FromSlash(path.Dir(name)), 0o755)
	case err != nil:
	case info.IsDir():
		err = ErrDirectory
	case info.Mode()&fs.ModeSymlink != 0:
		err = ErrLink
	case !info.Mode().IsRegular():
		err = ErrNotRegular
	}
	if err != nil {
		return false, err
	}
	return info == nil, d.replace(filepath.FromSlash(name), content, info)
}

// RemoveAll removes a file, or a directory with all that is in it. A symbolic link is removed, not what it leads to.
func (d *Dir) RemoveAll(name string) error { return d.root.RemoveAll(filepath.FromSlash(name)) }

// replace writes to a new file beside and renames it. Old is the file that is replaced, or nil.
func (d *Dir) replace(name string, content []byte, old fs.FileInfo) (err error) {
	mode := fs.FileMode(0o644)
	if old != nil {
		mode = old.Mode().Perm() // nobody may read the new content who may not read the old
	}
	file, temporary, err := d.temporary(name, mode)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = d.root.Remove(temporary) // the first error says more
		}
	}()
	if _, err := file.Write(content); err != nil {
		return errors.Join(err, file.Close())
	}
	if old != nil {
		if err := file.Chmod(mode); err != nil { // what the umask has taken away
			return errors.Join(err, file.Close())
		}
	}
	if err := file.Sync(); err != nil {
		return errors.Join(err, file.Close())
	}
	if err := file.Close(); err != nil {
		return err
	}
	return d.root.Rename(temporary, name)
}

// maxTemporary is how many files of writers that were killed may lie around.
const maxTemporary = 100

// maxTemporaryBase is how much of a file's name stands in that of its temporary file, in bytes: names have at most 255.
const maxTemporaryBase = 100

// temporary creates a file beside another one.
func (d *Dir) temporary(name string, mode fs.FileMode) (*os.File, string, error) {
	dir, base := filepath.Split(name)
	base = strings.ToValidUTF8(base[:min(len(base), maxTemporaryBase)], "")
	for i := range maxTemporary {
		temporary := filepath.Join(dir, fmt.Sprintf(".%s.%d.tmp", base, i))
		file, err := d.root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if !errors.Is(err, fs.ErrExist) {
			return file, temporary, err
		}
	}
	return nil, "", fmt.Errorf("%d unfinished files named .%s.N.tmp lie around; remove them", maxTemporary, base)
}

// escapes is the text of os.Root's error for a path that leaves it, which has no exported value.
const escapes = "path escapes from parent"

// Escapes reports whether an error of the operating system says that a name, or a symbolic link on it, leads outside.
func Escapes(err error) bool { return err != nil && Cause(err).Error() == escapes }

// Cause returns what the operating system said, without its idea of the name.
func Cause(err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return pathErr.Err
	}
	if linkErr, ok := errors.AsType[*os.LinkError](err); ok {
		return linkErr.Err
	}
	return err
}
