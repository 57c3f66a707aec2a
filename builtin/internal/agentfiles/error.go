package agentfiles

import (
	"errors"
	"fmt"
)

// Reason is why something could not be done with a path.
type Reason uint8

// The reasons of an [Error].
const (
	Failed      Reason = iota // something else, see Err
	NotFound                  // there is nothing of that name
	Traversal                 // the path leads upwards
	WindowsPath               // it begins with a drive
	BadPath                   // no file can have that name
	Outside                   // a symbolic link on the path leads out of the root directory
	IsDirectory               // a file is wanted
	NotDir                    // a directory is wanted, there or on the way
	NotRegular                // it is a pipe, a socket or a device
	IsLink                    // a symbolic link is not written through
	Denied                    // the operating system does not allow it
	TooLarge                  // see Size and Limit
	Full                      // the state has no room for more
	IsRoot                    // the root itself cannot be removed
	Binary                    // the file is no text
)

// Error is a path with which something could not be done. Its text is written for the model: it has the path as the agent
// sees it, and never where that is on the disk.
type Error struct {
	Path        string
	Reason      Reason
	Size, Limit int64 // of TooLarge and Full, in bytes
	Err         error // of the operating system; may be nil
}

// Error says what is wrong; the first texts are those of deepagents.
func (e *Error) Error() string {
	switch e.Reason {
	case NotFound:
		return fmt.Sprintf("File '%s' not found", e.Path)
	case Traversal, Outside:
		return "Path traversal not allowed: " + e.Path
	case WindowsPath:
		return fmt.Sprintf("Windows absolute paths are not supported: %s. "+
			"Please use virtual paths starting with / (e.g., /workspace/file.txt)", e.Path)
	case BadPath:
		return fmt.Sprintf("Invalid path: %.200q", e.Path)
	case IsDirectory:
		return fmt.Sprintf("'%s' is a directory, not a file", e.Path)
	case NotDir:
		return fmt.Sprintf("'%s' is not below a directory", e.Path)
	case NotRegular:
		return fmt.Sprintf("'%s' is a pipe, a socket or a device, not a file", e.Path)
	case IsLink:
		return fmt.Sprintf("'%s' is a symbolic link; write to the file itself", e.Path)
	case Denied:
		return fmt.Sprintf("'%s' is not permitted by the operating system", e.Path)
	case TooLarge:
		return fmt.Sprintf("File '%s' is too large: %d bytes, the limit is %d", e.Path, e.Size, e.Limit)
	case Full:
		return fmt.Sprintf("File '%s' cannot be written: all files together would have %d bytes, the limit is %d", e.Path, e.Size, e.Limit)
	case IsRoot:
		return "The root directory cannot be deleted"
	case Binary:
		return fmt.Sprintf("File '%s' is binary and cannot be shown or edited as text", e.Path)
	case Failed:
	}
	if e.Err == nil {
		return fmt.Sprintf("'%s' cannot be used", e.Path)
	}
	return fmt.Sprintf("'%s' cannot be used: %s", e.Path, e.Err)
}

// Unwrap returns the error of the operating system.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether an error is an [*Error] with this reason.
func Is(err error, reason Reason) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Reason == reason
}
