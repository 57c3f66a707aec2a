package regularfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// PathError is an error of the operating system about a path, in words for the person who wrote the path.
type PathError struct {
	Path string
	Text string
	Err  error // of the operating system
}

func (e *PathError) Error() string { return e.Path + ": " + e.Text }

// Unwrap returns the error of the operating system.
func (e *PathError) Unwrap() error { return e.Err }

// Unreadable words the error of reading what should be at a path, such as a "file" or a "directory".
func Unreadable(path, what string, err error) error {
	return worded(path, err, "there is no such "+what, "you may not read it")
}

// Uncreatable words the error of creating a file.
func Uncreatable(path string, err error) error {
	missing := "it cannot be created there"
	if dir := filepath.Dir(path); dir != "." {
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			missing = "there is no directory " + dir
		}
	}
	return worded(path, err, missing, "you may not create a file there")
}

func worded(path string, err error, missing, denied string) error {
	var text string
	switch errno, _ := errors.AsType[syscall.Errno](err); {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		text = missing
	case errors.Is(err, fs.ErrPermission):
		text = denied
	case errors.Is(err, syscall.ENOTDIR):
		text = "a part of the path is a file, and not a directory"
	case errno != 0:
		text = errno.Error()
	default:
		return err
	}
	return &PathError{Path: path, Text: text, Err: err}
}
