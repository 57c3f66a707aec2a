package agentfiles

import (
	"context"
	"io"
	"path"
	"time"

	"github.com/agenthost/agenthost/internal/rootdir"
)

// MaxFile is the largest file that is written, edited or read as a whole, in bytes.
const MaxFile = 8 << 20

// MaxVisited is how many files and directories one walk looks at.
const MaxVisited = rootdir.MaxVisited

// Info describes a file or directory.
type Info struct {
	Path     string // clean
	Dir      bool
	Size     int64     // of a file, in bytes; of one on disk, at that moment
	Modified time.Time // of a file; zero: not known
}

// Name is the last part of the path.
func (i Info) Name() string { return path.Base(i.Path) }

// Reader reads a tree of files.
type Reader interface {
	// Stat describes a file or directory; [NotFound] if there is neither.
	Stat(ctx context.Context, name string) (Info, error)
	// Open opens a file for reading; it must be closed.
	Open(ctx context.Context, name string) (io.ReadCloser, Info, error)
	// List returns what a directory has, by name.
	List(ctx context.Context, dir string) ([]Info, error)
	// Walk visits the files below a directory, or the file itself, in the order of their names. It ends early, without an
	// error, when visit says no, and reports whether there is more than it looks at ([MaxVisited]).
	Walk(ctx context.Context, dir string, visit func(Info) bool) (stopped bool, err error)
}

// FS is a tree of files that can be written.
type FS interface {
	Reader
	// Write replaces what a file holds, or makes it and the directories on the way.
	Write(ctx context.Context, name string, content []byte) error
	// Edit replaces a text in a file, and reports how often.
	Edit(ctx context.Context, name string, edit Edit) (int, error)
	// Remove removes a file, or a directory with all that is in it.
	Remove(ctx context.Context, name string) error
}

// ReadFile reads a whole file of at most limit bytes; a larger one is [TooLarge].
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
	case int64(len(content)) > limit: // it grew
		return nil, &Error{Path: name, Reason: TooLarge, Size: int64(len(content)), Limit: limit}
	}
	return content, ctx.Err()
}
