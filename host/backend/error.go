package backend

import (
	"errors"
	"fmt"
)

// Reason is why an operation on a path failed.
type Reason uint8

// The reasons of an [Error].
const (
	Failed      Reason = iota // none of the other reasons; see Err
	NotFound                  // there is no file or directory of that name
	Traversal                 // the path contains ..
	WindowsPath               // the path begins with a drive
	BadPath                   // no file can have that name
	Outside                   // a symbolic link on the path leads out of the root directory
	IsDirectory               // the operation needs a file
	NotDir                    // the operation needs a directory, or the path passes through a file
	NotRegular                // it is a pipe, a socket or a device
	IsLink                    // the operation does not write through symbolic links
	Linked                    // the path is or passes through a symbolic link, and the tree follows none
	Denied                    // the operating system does not permit it
	TooLarge                  // see Size and Limit
	Full                      // the state has no room for more
	IsRoot                    // the root itself cannot be removed
	Binary                    // the file is not text
	Mounted                   // the directory contains the root of another backend
)

// Error is a failed operation on a path. Its text is written for the model: it has the path as the agent sees it, and never
// says where that is on the disk.
type Error struct {
	Path        string
	Reason      Reason
	Size, Limit int64 // bytes; set for TooLarge and Full
	Err         error // the operating system's error; may be nil
}

// Error returns the text; the first texts are deepagents'.
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
	case Linked:
		return "Symbolic links are not followed here: " + e.Path
	case Denied:
		return fmt.Sprintf("'%s' is not permitted by the operating system", e.Path)
	case TooLarge:
		return fmt.Sprintf("File '%s' is too large: %d bytes, the limit is %d", e.Path, e.Size, e.Limit)
	case Mounted:
		return fmt.Sprintf("'%s' contains a directory that is kept elsewhere, so it cannot be deleted as a whole; delete what is in it", e.Path)
	case Full:
		if e.Err != nil {
			return fmt.Sprintf("File '%s' cannot be written: %s", e.Path, e.Err)
		}
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
