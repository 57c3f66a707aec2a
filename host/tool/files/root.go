package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/agenthost/agenthost/internal/rootdir"
)

// Options say what the tools may do with a directory. The zero value permits reading, with the default limits.
type Options struct {
	Write     bool  // the tools may write files
	MaxOutput int   // the largest size of one result, in bytes; 0 means 64 KiB
	MaxFile   int64 // the largest file to search or write, in bytes; 0 means 8 MiB
}

const (
	defaultMaxOutput = 64 << 10
	defaultMaxFile   = 8 << 20
)

// Root is an open directory. Its methods are safe for concurrent use.
type Root struct {
	root    *rootdir.Dir
	options Options
}

// Open opens a directory, which the caller must close.
func Open(dir string, options Options) (*Root, error) {
	if options.MaxOutput <= 0 {
		options.MaxOutput = defaultMaxOutput
	}
	if options.MaxFile <= 0 {
		options.MaxFile = defaultMaxFile
	}
	root, err := rootdir.Open(dir, rootdir.FollowInside)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("files: the root directory cannot be opened: %w; create it, or correct the path", err)
	}
	if err != nil {
		return nil, fmt.Errorf("files: the root directory cannot be opened: %w", err)
	}
	return &Root{root, options}, nil
}

// Close closes the directory. Later calls of its methods fail.
func (r *Root) Close() error { return r.root.Close() }

// inside converts a path that the model gave into a name below the root, see [rootdir.Name].
func (r *Root) inside(given string) (string, error) {
	name, err := rootdir.Name(given)
	if err != nil {
		return "", r.pathError(given, name, err)
	}
	return name, nil
}

// open opens a regular file for reading.
func (r *Root) open(given string) (*os.File, fs.FileInfo, error) {
	name, err := r.inside(given)
	if err != nil {
		return nil, nil, err
	}
	file, info, err := r.root.OpenFile(name)
	if err != nil {
		return nil, nil, r.pathError(given, name, err)
	}
	return file, info, nil
}

// directory returns the name of a directory.
func (r *Root) directory(given string) (string, error) {
	name, err := r.inside(given)
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
