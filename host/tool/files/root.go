package files

import (
	"fmt"
	"io/fs"
	"os"

	"github.com/agenthost/agenthost/internal/rootdir"
)

// Options say what may be done with a directory. The zero value reads, with the default limits.
type Options struct {
	Write     bool  // files may be written
	MaxOutput int   // of one result, in bytes; 0: 64 KiB
	MaxFile   int64 // larger files are not searched, and not written, in bytes; 0: 8 MiB
}

const (
	defaultMaxOutput = 64 << 10
	defaultMaxFile   = 8 << 20
)

// Root is an open directory. Its methods may be called from several goroutines at once.
type Root struct {
	root    *rootdir.Dir
	options Options
}

// Open opens a directory. It must be closed.
func Open(dir string, options Options) (*Root, error) {
	if options.MaxOutput <= 0 {
		options.MaxOutput = defaultMaxOutput
	}
	if options.MaxFile <= 0 {
		options.MaxFile = defaultMaxFile
	}
	root, err := rootdir.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("files: open the root directory: %w", err)
	}
	return &Root{root, options}, nil
}

// Close closes the directory. Whatever is called later fails.
func (r *Root) Close() error { return r.root.Close() }

// inside turns a path that the model gave into a name below the root: with slashes, clean, "." for the root itself. A leading
// slash stands for the root.
func inside(given string) (string, error) {
	name, err := rootdir.Name(given)
	if err != nil {
		return "", &PathError{Path: given, Reason: reasonOf(err)}
	}
	return name, nil
}

// open opens a regular file for reading. A pipe or a device is refused, and does not block.
func (r *Root) open(given string) (*os.File, fs.FileInfo, error) {
	name, err := inside(given)
	if err != nil {
		return nil, nil, err
	}
	file, info, err := r.root.OpenFile(name)
	if err != nil {
		return nil, nil, r.pathError(given, name, err)
	}
	return file, info, nil
}

// directory checks that a path is a directory.
func (r *Root) directory(given string) (string, error) {
	name, err := inside(given)
	if err != nil {
		return "", err
	}
	info, err := r.root.Stat(name)
	switch {
	case err != nil:
		return "", r.pathError(given, name, err)
	case !info.IsDir():
		return "", &PathError{Path: given, Reason: NotDirectory}
	}
	return name, nil
}
