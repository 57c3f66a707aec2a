package regularfile

import (
	"fmt"
	"io/fs"
)

// KindError reports a path that does not lead to a regular file.
type KindError struct {
	Path string
	Mode fs.FileMode // of what is there
}

func (e *KindError) Error() string { return e.Path + ": is " + Kind(e.Mode) + ", not a regular file" }

// Kind names what is at a path, with its article: "a named pipe".
func Kind(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return "a regular file"
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "a special file"
}

// SizeError reports a file that is larger than allowed.
type SizeError struct {
	Path  string
	Limit int64 // bytes
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("%s: is larger than the limit of %d bytes", e.Path, e.Limit)
}
