// Package rootdir reads and writes the files below one directory of the disk, and no others. The operating system resolves
// every name below the open directory (os.Root), so there is no moment between a check and a use in which a name could
// change its meaning: neither "..", nor a symbolic link, nor a link made during a call leads outside.
//
// Every rule about safety is here: which names are valid, which links are followed, that pipes and devices are refused, and
// how many entries a walk visits. Callers only put the [Reason] of an [Error] into words.
//
// # Links
//
// With [FollowInside], a link may lead to another place in the directory. A caller that judges names, such as one with
// rules about paths, needs [RefuseLinks]: a name then has one meaning. Each element is opened below the one before it, and
// is the entry that was not a link; see nolinks.go.
package rootdir

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/agenthost/agenthost/internal/regularfile"
)

// Dir is an open directory. Its methods take names as [Name] returns them, report an [*Error], and are safe for concurrent
// use.
type Dir struct {
	root  *os.Root
	links Links
}

// Links says what a [Dir] does with symbolic links below it.
type Links uint8

const (
	// FollowInside follows links that stay in the directory.
	FollowInside Links = iota
	// RefuseLinks follows no link: a name that is one, or passes through one, has the reason [Linked].
	RefuseLinks
)

// Open opens a directory, which the caller must close. The path itself may be a link. The error is that of the operating
// system and contains the path.
func Open(dir string, links Links) (*Dir, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, regularfile.Unreadable(dir, "directory", err)
	}
	return &Dir{root, links}, nil
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

// Stat describes a file or directory. It follows symbolic links unless the directory refuses them.
func (d *Dir) Stat(name string) (fs.FileInfo, error) {
	if d.links == FollowInside {
		info, err := d.root.Stat(filepath.FromSlash(name))
		return info, errorOf(err)
	}
	info, err := d.Lstat(name)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return nil, &Error{Reason: Linked}
	}
	return info, err
}

// Lstat describes a file, a directory or a symbolic link. It follows links only before the last element, unless the
// directory refuses them.
func (d *Dir) Lstat(name string) (fs.FileInfo, error) {
	parent, base, err := d.parent(name)
	if err != nil {
		return nil, errorOf(err)
	}
	defer closeRoot(parent)
	info, err := parent.Lstat(base)
	return info, errorOf(err)
}

// OpenFile opens a regular file for reading. It refuses directories, pipes and devices, and never blocks on them.
func (d *Dir) OpenFile(name string) (*os.File, fs.FileInfo, error) {
	if d.links == FollowInside {
		file, info, err := regularfile.OpenIn(d.root, filepath.FromSlash(name))
		return file, info, errorOf(err)
	}
	parent, base, err := d.parent(name)
	if err != nil {
		return nil, nil, errorOf(err)
	}
	defer closeRoot(parent)
	file, info, err := openUnlinked(parent, base)
	return file, info, errorOf(err)
}

// ReadDir returns the entries of a directory, sorted by name. It does not follow the links among them. It never blocks.
func (d *Dir) ReadDir(name string) ([]fs.DirEntry, error) {
	dir, err := d.directory(name)
	if err != nil {
		return nil, errorOf(err)
	}
	defer closeRoot(dir)
	entries, err := fs.ReadDir(dir.FS(), ".")
	return entries, errorOf(err)
}

// RemoveAll removes a file, or a directory with everything in it. It removes a symbolic link, never the link's target.
func (d *Dir) RemoveAll(name string) error {
	parent, base, err := d.parent(name)
	if err != nil {
		return errorOf(err)
	}
	defer closeRoot(parent)
	return errorOf(parent.RemoveAll(base))
}

// parent opens the directory that contains a name, and returns the last element of the name.
func (d *Dir) parent(name string) (dir *os.Root, base string, err error) {
	dir, err = d.directory(path.Dir(name))
	return dir, path.Base(name), err
}

// directory opens a directory.
func (d *Dir) directory(name string) (*os.Root, error) {
	if d.links == RefuseLinks {
		return openUnlinkedDirs(d.root, name, openUnlinkedDir)
	}
	return openDir(d.root, name)
}

// openDir opens a directory. As the name ends in a dot, the system does not open anything but directories on the way to it,
// and so does not block on a pipe.
func openDir(root *os.Root, name string) (*os.Root, error) {
	return root.OpenRoot(filepath.FromSlash(name) + string(filepath.Separator) + ".")
}

func closeRoot(root *os.Root) { _ = root.Close() } // nothing was written through it
