package files

import (
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/agenthost/agenthost/internal/rootdir"
)

// Reason says why a path was refused.
type Reason uint8

// The reasons of a [PathError].
const (
	// Failed: none of the other reasons; see Err.
	Failed Reason = iota
	// NotFound: there is no file or directory of that name. Near has similar names.
	NotFound
	// OutsideRoot: the path, or a symbolic link on it, leads out of the root directory.
	OutsideRoot
	// IsDirectory: the path must lead to a file.
	IsDirectory
	// NotDirectory: the path must lead to a directory, or passes through a file.
	NotDirectory
	// NotRegular: the path leads to a pipe, a socket or a device.
	NotRegular
	// IsLink: the path leads to a symbolic link, and writes do not follow links.
	IsLink
	// Binary: the file is not text.
	Binary
	// TooLarge: the text to write is larger than [Options].MaxFile.
	TooLarge
	// ReadOnly: [Options].Write is not set.
	ReadOnly
	// Denied: the operating system does not permit the access.
	Denied
	// BadName: no file can have that name.
	BadName
)

var reasons = [...]string{
	Failed:       rootdir.Failed.String(),
	NotFound:     rootdir.NotFound.String(),
	OutsideRoot:  rootdir.Outside.String(),
	IsDirectory:  rootdir.IsDirectory.String(),
	NotDirectory: rootdir.NotDirectory.String(),
	NotRegular:   rootdir.NotRegular.String(),
	IsLink:       rootdir.IsLink.String(),
	Binary:       "is a binary file, and cannot be shown as text",
	TooLarge:     "is too large",
	ReadOnly:     "cannot be written: the root directory is read-only",
	Denied:       rootdir.Denied.String(),
	BadName:      rootdir.BadName.String(),
}

// String returns the reason in words.
func (r Reason) String() string {
	if int(r) < len(reasons) {
		return reasons[r]
	}
	return reasons[Failed]
}

// PathError is a path that cannot be used. Its text has the path as it was given, and never says where the root directory
// is.
type PathError struct {
	Path   string
	Reason Reason
	Detail string   // more about the reason; may be empty
	Near   []string // at most three similar paths that exist
	Err    error    // the operating system's error; may be nil
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
	Argument string // name of the argument, such as "pattern" or "offset"
	Problem  string
}

func (e *ArgumentError) Error() string { return e.Argument + ": " + e.Problem }

// diskReasons are the reasons of errors of the directory.
var diskReasons = [...]Reason{
	rootdir.Failed:       Failed,
	rootdir.NotFound:     NotFound,
	rootdir.Outside:      OutsideRoot,
	rootdir.BadName:      BadName,
	rootdir.IsDirectory:  IsDirectory,
	rootdir.NotDirectory: NotDirectory,
	rootdir.NotRegular:   NotRegular,
	rootdir.IsLink:       IsLink,
	rootdir.Linked:       IsLink, // not with FollowInside
	rootdir.Denied:       Denied,
}

// pathError returns an error of the directory as a [*PathError]. Name is the clean form of the given path.
func (r *Root) pathError(given, name string, err error) error {
	disk, ok := errors.AsType[*rootdir.Error](err)
	if !ok {
		return &PathError{Path: given, Detail: err.Error(), Err: err}
	}
	result := &PathError{Path: given, Reason: diskReasons[disk.Reason], Err: disk.Err}
	switch {
	case result.Reason == NotFound:
		result.Near = r.near(name)
	case result.Reason == NotDirectory && disk.Err != nil:
		result.Path = path.Dir(name)
	case result.Reason == Failed && disk.Err != nil:
		result.Detail = disk.Err.Error()
	}
	return result
}
