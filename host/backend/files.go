package backend

import (
	"context"
	"io"
	"path"
	"time"

	"github.com/agenthost/agenthost/internal/rootdir"
)

// MaxFile is the size of the largest file that is written, edited or read as a whole, in bytes.
const MaxFile = 8 << 20

// MaxVisited is how many files and directories one walk visits.
const MaxVisited = rootdir.MaxVisited

// Info describes a file or directory.
type Info struct {
	Path     string // clean
	Dir      bool
	Size     int64     // bytes; of a file on disk, at the time of the call; -1 for a pipe, socket or device
	Modified time.Time // of a file; zero if unknown
}

// Name returns the last element of the path.
func (i Info) Name() string { return path.Base(i.Path) }

// Reader reads a tree of files.
type Reader interface {
	// Stat describes a file or directory. The reason of an error is [NotFound] if there is neither.
	Stat(ctx context.Context, name string) (Info, error)
	// Open opens a file for reading. The caller must close it.
	Open(ctx context.Context, name string) (io.ReadCloser, Info, error)
	// List returns the entries of a directory, sorted by name.
	List(ctx context.Context, dir string) ([]Info, error)
	// Walk visits the files below a directory, or the file itself, sorted by name. It does not follow symbolic links. It
	// ends without an error when visit returns false, and reports whether there are more files than it visits
	// ([MaxVisited]). In the order of paths, a slash comes before all other characters.
	Walk(ctx context.Context, dir string, visit func(Info) bool) (stopped bool, err error)
}

// Files is a tree of files that can be written. Its methods are safe for concurrent use. A directory may exist only as long as
// it contains a file.
type Files interface {
	Reader
	// Write replaces the content of a file, or creates the file and the missing directories.
	Write(ctx context.Context, name string, content []byte) error
	// Edit replaces a text in a file and returns the number of replacements, see [Edit.Apply]. Concurrent edits do not undo
	// each other.
	Edit(ctx context.Context, name string, edit Edit) (int, error)
	// Remove removes a file, or a directory with everything in it.
	Remove(ctx context.Context, name string) error
}

// ReadFile reads a whole file. The reason of an error is [TooLarge] if it has more than limit bytes.
func ReadFile(ctx context.Context, r Reader, name string, limit int64) ([]byte, error) {
	file, info, err := r.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	if info.Size > limit {
		return nil, &Error{Path: name, Reason: TooLarge, Size: info.Size, Limit: limit}
	}
	content, err := io.ReadAll(io.LimitReader(file, limit+1))
	switch {
	case err != nil:
		return nil, &Error{Path: name, Reason: Failed, Err: err}
	case int64(len(content)) > limit: // the file has grown
		return nil, &Error{Path: name, Reason: TooLarge, Size: int64(len(content)), Limit: limit}
	}
	return content, ctx.Err()
}
