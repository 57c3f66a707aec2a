package rootdir

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/agenthost/agenthost/internal/regularfile"
)

// The functions here open one element of a name below an open directory, and never through a symbolic link. [os.Root]
// follows links, so they look at the entry, open it, and compare: what was opened must be what was not a link. If it is not, the
// entry was replaced in between, and they try again.

// attempts is how often an entry is opened that others replace all the time.
const attempts = 100

// openUnlinked opens a regular file.
func openUnlinked(parent *os.Root, base string) (*os.File, fs.FileInfo, error) {
	for range attempts {
		before, err := lstatUnlinked(parent, base)
		if err != nil {
			return nil, nil, err
		}
		file, info, err := regularfile.OpenIn(parent, base)
		if err != nil {
			return nil, nil, err
		}
		if os.SameFile(before, info) {
			return file, info, nil
		}
		_ = file.Close() // it was not read
	}
	return nil, nil, errUnstable
}

// openUnlinkedDir opens a directory.
func openUnlinkedDir(parent *os.Root, base string) (*os.Root, error) {
	for range attempts {
		before, err := lstatUnlinked(parent, base)
		if err != nil {
			return nil, err
		}
		if !before.IsDir() {
			return nil, &Error{Reason: NotDirectory}
		}
		dir, err := openDir(parent, base)
		if err != nil {
			return nil, err
		}
		after, err := dir.Stat(".")
		if err == nil && os.SameFile(before, after) {
			return dir, nil
		}
		closeRoot(dir)
		if err != nil {
			return nil, err
		}
	}
	return nil, errUnstable
}

// makeUnlinkedDir opens a directory, which it makes if there is none.
func makeUnlinkedDir(parent *os.Root, base string) (*os.Root, error) {
	if err := parent.Mkdir(base, newDirMode); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return openUnlinkedDir(parent, base)
}

// openUnlinkedDirs opens a directory below another one, and each element of its name with open.
func openUnlinkedDirs(root *os.Root, name string, open func(parent *os.Root, base string) (*os.Root, error)) (*os.Root, error) {
	dir, err := root.OpenRoot(".") // the caller closes the result, and never root itself
	if err != nil || name == "." {
		return dir, err
	}
	for element := range strings.SplitSeq(name, "/") {
		next, err := open(dir, element)
		closeRoot(dir)
		if err != nil {
			return nil, err
		}
		dir = next
	}
	return dir, nil
}

// lstatUnlinked describes an entry that is not a link.
func lstatUnlinked(parent *os.Root, base string) (fs.FileInfo, error) {
	info, err := parent.Lstat(base)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return nil, &Error{Reason: Linked}
	}
	return info, err
}

// errUnstable is an entry that was another one each time it was opened.
var errUnstable = errors.New("others are replacing it")
