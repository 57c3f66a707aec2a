// Package regularfile reads the files that an operator, a manifest, a flag or an author of a plugin names. What is at such a
// path is not known: it may be a link to /dev/zero, which never ends, or a named pipe, which blocks until another program
// opens it. So these functions look at the file first, read regular files only, and read no more than a limit.
//
// A symbolic link to a regular file is followed: Kubernetes mounts files as links. Package rootdir is for names that a model
// chooses; it confines them to a directory.
package regularfile

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// Read reads a whole file. The error is a [*PathError], a [*KindError], or a [*SizeError] if the file has more
// than limit bytes; all of them contain the path.
func Read(path string, limit int64) ([]byte, error) {
	file, info, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	if info.Size() > limit {
		return nil, &SizeError{Path: path, Limit: limit}
	}
	var content bytes.Buffer
	content.Grow(int(info.Size()) + bytes.MinRead)           // ReadFrom needs that much room to see the end of the file
	_, err = content.ReadFrom(io.LimitReader(file, limit+1)) // it may grow, and files in /proc have no size
	if int64(content.Len()) > limit {
		return nil, &SizeError{Path: path, Limit: limit}
	}
	return content.Bytes(), err
}

// Open opens a file for reading; the caller must close it. It never blocks. The error is a [*PathError] or a [*KindError].
func Open(path string) (*os.File, fs.FileInfo, error) {
	return open(path, os.Stat, os.OpenFile)
}

// OpenIn opens a file below a directory, which no link on the name can leave; see [os.Root].
func OpenIn(root *os.Root, name string) (*os.File, fs.FileInfo, error) {
	return open(name, root.Stat, root.OpenFile)
}

func open(
	name string, stat func(name string) (fs.FileInfo, error), openFile func(name string, flag int, perm fs.FileMode) (*os.File, error),
) (*os.File, fs.FileInfo, error) {
	info, err := stat(name) // opening a device may already do something
	if err != nil {
		return nil, nil, Unreadable(name, "file", err)
	}
	if err := Check(name, info); err != nil {
		return nil, nil, err
	}
	file, err := openFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // it may have become a pipe
	if err != nil {
		return nil, nil, Unreadable(name, "file", err)
	}
	info, err = file.Stat()
	if err == nil {
		err = Check(name, info)
	}
	if err != nil {
		_ = file.Close() // it was not even read
		return nil, nil, err
	}
	return file, info, nil
}

// Check returns a [*KindError] if a file is not a regular one. Info comes from a Stat that follows links.
func Check(path string, info fs.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	return &KindError{Path: path, Mode: info.Mode()}
}
