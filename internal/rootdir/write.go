package rootdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Write replaces the content of a file, or creates the file together with the missing directories, and reports whether it
// created the file. A concurrent reader sees the old content or the new one, and so does a machine after a power failure:
// Write creates a new file in the same directory and renames it. A replaced file keeps its permissions. Write refuses
// everything but regular files, symbolic links included.
func (d *Dir) Write(name string, content []byte) (created bool, err error) {
	parent, err := d.madeDirectory(path.Dir(name))
	if err != nil {
		return false, errorOf(err)
	}
	defer closeRoot(parent)
	base := path.Base(name)
	info, err := parent.Lstat(base)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		info, err = nil, nil
	case err != nil:
	case info.IsDir():
		err = &Error{Reason: IsDirectory}
	case info.Mode()&fs.ModeSymlink != 0:
		err = &Error{Reason: IsLink}
	case !info.Mode().IsRegular():
		err = &Error{Reason: NotRegular}
	}
	if err != nil {
		return false, errorOf(err)
	}
	return info == nil, errorOf(replace(parent, base, content, info))
}

// newDirMode is the mode of a directory that is made.
const newDirMode = 0o755

// madeDirectory opens a directory, which it makes together with those before it if there is none.
func (d *Dir) madeDirectory(name string) (*os.Root, error) {
	dir, err := d.directory(name)
	if !errors.Is(err, fs.ErrNotExist) {
		return dir, err
	}
	if d.links == RefuseLinks {
		return openUnlinkedDirs(d.root, name, makeUnlinkedDir)
	}
	if err := d.root.MkdirAll(filepath.FromSlash(name), newDirMode); err != nil {
		return nil, err
	}
	return d.directory(name)
}

// replace writes a temporary file and renames it. Old describes the replaced file; it is nil if there is none.
func replace(dir *os.Root, base string, content []byte, old fs.FileInfo) (err error) {
	mode := fs.FileMode(0o644)
	if old != nil {
		mode = old.Mode().Perm() // the new content must not be readable by more users than the old one
	}
	file, temporary, err := newTemporary(dir, base, mode)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = dir.Remove(temporary) // the first error says more
		}
	}()
	if _, err := file.Write(content); err != nil {
		return errors.Join(err, file.Close())
	}
	if old != nil {
		if err := file.Chmod(mode); err != nil { // the umask may have removed permissions
			return errors.Join(err, file.Close())
		}
	}
	if err := file.Sync(); err != nil {
		return errors.Join(err, file.Close())
	}
	if err := file.Close(); err != nil {
		return err
	}
	return dir.Rename(temporary, base)
}

const (
	// maxTemporary is how many temporary files of one name killed writers may leave in a directory.
	maxTemporary = 100
	// maxTemporaryBase is how much of a file's name its temporary file repeats, in bytes: a name has at most 255.
	maxTemporaryBase = 100
)

// newTemporary creates a temporary file for the new content of a file, and returns its name.
func newTemporary(dir *os.Root, base string, mode fs.FileMode) (*os.File, string, error) {
	base = strings.ToValidUTF8(base[:min(len(base), maxTemporaryBase)], "")
	for i := range maxTemporary {
		temporary := fmt.Sprintf(".%s.%d.tmp", base, i)
		file, err := dir.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if !errors.Is(err, fs.ErrExist) {
			return file, temporary, err
		}
	}
	return nil, "", fmt.Errorf("its directory already has %d unfinished files named .%s.N.tmp; remove them", maxTemporary, base)
}
