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
	info, err := d.root.Lstat(filepath.FromSlash(name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		info = nil
		err = d.root.MkdirAll(filepath.FromSlash(path.Dir(name)), 0o755)
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
	return info == nil, errorOf(d.replace(filepath.FromSlash(name), content, info))
}

// replace writes a temporary file and renames it. Old describes the replaced file; it is nil if there is none.
func (d *Dir) replace(name string, content []byte, old fs.FileInfo) (err error) {
	mode := fs.FileMode(0o644)
	if old != nil {
		mode = old.Mode().Perm() // the new content must not be readable by more users than the old one
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
	return d.root.Rename(temporary, name)
}

const (
	// maxTemporary is how many temporary files of one name killed writers may leave in a directory.
	maxTemporary = 100
	// maxTemporaryBase is how much of a file's name its temporary file repeats, in bytes: a name has at most 255.
	maxTemporaryBase = 100
)

// temporary creates a temporary file in the directory of a file.
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
	return nil, "", fmt.Errorf("its directory already has %d unfinished files named .%s.N.tmp; remove them", maxTemporary, base)
}
