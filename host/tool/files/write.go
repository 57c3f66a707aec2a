package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Written is the result of [Root.Write].
type Written struct {
	Path    string // below the root, with slashes
	Bytes   int
	Created bool // there was no such file before
}

// String is for the model.
func (w *Written) String() string {
	if w.Created {
		return fmt.Sprintf("Created %s with %s.", w.Path, count(w.Bytes, "byte", "bytes"))
	}
	return fmt.Sprintf("Replaced %s; it has %s now.", w.Path, count(w.Bytes, "byte", "bytes"))
}

// Write replaces a file, or creates it together with the directories that are missing. Who reads it at that moment sees the old text or the
// new one, as does a machine that loses its power: the text goes to a new file of the same directory, which is then renamed. A file that is
// replaced keeps its permissions. A symbolic link is refused.
func (r *Root) Write(given, text string) (*Written, error) {
	if !r.options.Write {
		return nil, &PathError{Path: given, Reason: ReadOnly}
	}
	name, err := inside(given)
	if err != nil {
		return nil, err
	}
	if name == "." || strings.HasSuffix(given, "/") {
		return nil, &PathError{Path: given, Reason: IsDirectory}
	}
	if int64(len(text)) > r.options.MaxFile {
		return nil, &PathError{
			Path: given, Reason: TooLarge,
			Detail: fmt.Sprintf("the text has %d bytes, the limit is %d", len(text), r.options.MaxFile),
		}
	}
	info, err := r.root.Lstat(filepath.FromSlash(name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := r.root.MkdirAll(filepath.FromSlash(path.Dir(name)), 0o755); err != nil {
			return nil, r.pathError(given, name, err)
		}
	case err != nil:
		return nil, r.pathError(given, name, err)
	case info.IsDir():
		return nil, &PathError{Path: given, Reason: IsDirectory}
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, &PathError{Path: given, Reason: IsLink}
	case !info.Mode().IsRegular():
		return nil, &PathError{Path: given, Reason: NotRegular}
	}
	if err := r.replace(filepath.FromSlash(name), text, info); err != nil {
		return nil, r.pathError(given, name, err)
	}
	return &Written{name, len(text), info == nil}, nil
}

// replace writes to a new file beside and renames it. Old is the file that is replaced, or nil.
func (r *Root) replace(name, text string, old fs.FileInfo) (err error) {
	file, temporary, err := r.temporary(name)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = r.root.Remove(temporary) // the first error says more
		}
	}()
	if _, err := file.WriteString(text); err != nil {
		return errors.Join(err, file.Close())
	}
	if old != nil {
		if err := file.Chmod(old.Mode().Perm()); err != nil {
			return errors.Join(err, file.Close())
		}
	}
	if err := file.Sync(); err != nil {
		return errors.Join(err, file.Close())
	}
	if err := file.Close(); err != nil {
		return err
	}
	return r.root.Rename(temporary, name)
}

// maxTemporary is how many files of writers that were killed may lie around.
const maxTemporary = 100

// temporary creates a file beside another one.
func (r *Root) temporary(name string) (*os.File, string, error) {
	dir, base := filepath.Split(name)
	for i := range maxTemporary {
		temporary := filepath.Join(dir, fmt.Sprintf(".%.100s.%d.tmp", base, i))
		file, err := r.root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if !errors.Is(err, fs.ErrExist) {
			return file, temporary, err
		}
	}
	return nil, "", fmt.Errorf("%d unfinished files named .%s.N.tmp lie around; remove them", maxTemporary, base)
}
