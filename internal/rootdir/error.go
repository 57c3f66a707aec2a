package rootdir

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"github.com/agenthost/agenthost/internal/regularfile"
)

// Reason is why a name cannot be used.
type Reason uint8

// The reasons of an [Error].
const (
	Failed       Reason = iota // none of the other reasons; see Err
	NotFound                   // there is no file or directory of that name
	Outside                    // the name, or a symbolic link on it, leads out of the directory
	BadName                    // no file can have that name, or its links form a loop
	IsDirectory                // the operation needs a file
	NotDirectory               // the operation needs a directory, or the name passes through a file
	NotRegular                 // it is a pipe, a socket or a device
	IsLink                     // the operation does not write through symbolic links
	Linked                     // the name is or passes through a symbolic link; see [RefuseLinks]
	Denied                     // the operating system does not permit it
)

var reasons = [...]string{
	Failed:       "cannot be used",
	NotFound:     "does not exist",
	Outside:      "leads out of the root directory",
	BadName:      "is not a valid path",
	IsDirectory:  "is a directory, not a file",
	NotDirectory: "is not a directory",
	NotRegular:   "is a pipe, a socket or a device, not a file",
	IsLink:       "is a symbolic link; write to the file itself",
	Linked:       "is, or passes through, a symbolic link, and links are not followed here",
	Denied:       "is not permitted",
}

// String describes the reason. Callers put the name before it.
func (r Reason) String() string {
	if int(r) < len(reasons) {
		return reasons[r]
	}
	return reasons[Failed]
}

// Error says why a name cannot be used. It contains neither the name nor the path of the directory.
type Error struct {
	Reason Reason
	Err    error // the operating system's error without its path; nil if the name was refused before it was asked
}

func (e *Error) Error() string {
	if e.Err == nil {
		return e.Reason.String()
	}
	return e.Reason.String() + ": " + e.Err.Error()
}

// Unwrap returns the error of the operating system.
func (e *Error) Unwrap() error { return e.Err }

// errorOf returns an error of the operating system as an [*Error]; nil stays nil.
func errorOf(err error) error {
	if err == nil {
		return nil
	}
	if own, ok := errors.AsType[*Error](err); ok {
		return own
	}
	if kind, ok := errors.AsType[*regularfile.KindError](err); ok {
		if kind.Mode.IsDir() {
			return &Error{Reason: IsDirectory}
		}
		return &Error{Reason: NotRegular}
	}
	e := &Error{Err: withoutPath(err)}
	for _, row := range systemErrors {
		if errors.Is(e.Err, row.err) {
			e.Reason = row.reason
			return e
		}
	}
	if e.Err.Error() == escapes {
		e.Reason = Outside
	}
	return e
}

// escapes is the text of os.Root's error for a path that leaves it. The error has no exported value.
const escapes = "path escapes from parent"

var systemErrors = []struct {
	err    error
	reason Reason
}{
	{fs.ErrNotExist, NotFound},
	{fs.ErrPermission, Denied},
	{syscall.EISDIR, IsDirectory},
	{syscall.ENOTDIR, NotDirectory},
	{syscall.ENAMETOOLONG, BadName},
	{syscall.ELOOP, BadName},
}

// withoutPath removes the path that the standard library puts into an error.
func withoutPath(err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return pathErr.Err
	}
	if linkErr, ok := errors.AsType[*os.LinkError](err); ok {
		return linkErr.Err
	}
	return err
}
