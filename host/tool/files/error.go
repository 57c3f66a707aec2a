package files

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"syscall"

	"github.com/agenthost/agenthost/internal/rootdir"
)

// Reason is why a path was refused.
type Reason uint8

// The reasons of a [PathError].
const (
	// Failed: the operating system said something else, see Err.
	Failed Reason = iota
	// NotFound: there is nothing of that name. Near has similar names.
	NotFound
	// OutsideRoot: the path, or a symbolic link on it, leads out of the root directory.
	OutsideRoot
	// IsDirectory: a file is wanted.
	IsDirectory
	// NotDirectory: a directory is wanted, there or on the way.
	NotDirectory
	// NotRegular: it is a pipe, a socket or a device.
	NotRegular
	// IsLink: a symbolic link is not written through.
	IsLink
	// Binary: the file is no text.
	Binary
	// TooLarge: the text to write is above [Options].MaxFile.
	TooLarge
	// ReadOnly: [Options].Write is not set.
	ReadOnly
	// Denied: the operating system does not allow it.
	Denied
	// BadName: no file can have that name.
	BadName
)

var reasons = [...]string{
	Failed:       "cannot be used",
	NotFound:     "does not exist",
	OutsideRoot:  "leads out of the root directory",
	IsDirectory:  "is a directory, not a file",
	NotDirectory: "is not a directory",
	NotRegular:   "is a pipe, a socket or a device, not a file",
	IsLink:       "is a symbolic link; write to the file itself",
	Binary:       "is a binary file, and cannot be shown as text",
	TooLarge:     "is too large",
	ReadOnly:     "cannot be written: the root directory is read-only",
	Denied:       "is not permitted",
	BadName:      "is not a valid path",
}

// String says the reason in words.
func (r Reason) String() string {
	if int(r) < len(reasons) {
		return reasons[r]
	}
	return reasons[Failed]
}

// PathError is a path that cannot be used. Its text names the path as it was given, never where the root directory is.
type PathError struct {
	Path   string
	Reason Reason
	Detail string   // what there is to add
	Near   []string // paths that exist and may have been meant, at most three
	Err    error    // of the operating system; may be nil
}

func (e *PathError) Error() string {
	text := fmt.Sprintf("%q %s", e.Path, e.Reason)
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	if len(e.Near) > 0 {
		quoted := make([]string, len(e.Near))
		for i, name := range e.Near {
			quoted[i] = strconv.Quote(name)
		}
		text += "; did you mean " + strings.Join(quoted, " or ") + "?"
	}
	return text
}

// Unwrap returns the error of the operating system.
func (e *PathError) Unwrap() error { return e.Err }

// ArgumentError is an argument other than a path that cannot be used.
type ArgumentError struct {
	Argument string // "pattern", "offset", …
	Problem  string
}

func (e *ArgumentError) Error() string { return e.Argument + ": " + e.Problem }

// reasonOf returns the reason of an error of rootdir; Failed of others.
func reasonOf(err error) Reason {
	for own, reason := range map[error]Reason{
		rootdir.ErrOutside: OutsideRoot, rootdir.ErrBadName: BadName, rootdir.ErrDirectory: IsDirectory,
		rootdir.ErrNotRegular: NotRegular, rootdir.ErrLink: IsLink,
	} {
		if errors.Is(err, own) {
			return reason
		}
	}
	return Failed
}

// pathError explains an error of the operating system about a clean name.
func (r *Root) pathError(given, name string, err error) error {
	if reason := reasonOf(err); reason != Failed {
		return &PathError{Path: given, Reason: reason}
	}
	result := &PathError{Path: given, Err: rootdir.Cause(err)}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		result.Reason = NotFound
		result.Near = r.near(name)
	case rootdir.Escapes(err):
		result.Reason = OutsideRoot
	case errors.Is(err, fs.ErrPermission):
		result.Reason = Denied
	case errors.Is(err, syscall.ENOTDIR):
		result.Reason = NotDirectory
		result.Path = path.Dir(name)
	case errors.Is(err, syscall.EISDIR):
		result.Reason = IsDirectory
	case errors.Is(err, syscall.ENAMETOOLONG), errors.Is(err, syscall.ELOOP):
		result.Reason = BadName
	default:
		result.Detail = result.Err.Error()
	}
	return result
}
