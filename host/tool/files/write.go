package files

import (
	"fmt"
	"strings"
)

// WriteResult is the result of [Root.Write].
type WriteResult struct {
	Path    string // relative to the root, with slashes
	Bytes   int
	Created bool // the file did not exist before
}

// String returns the text for the model.
func (w *WriteResult) String() string {
	if w.Created {
		return fmt.Sprintf("Created %s with %s.", w.Path, count(w.Bytes, "byte", "bytes"))
	}
	return fmt.Sprintf("Replaced %s; it has %s now.", w.Path, count(w.Bytes, "byte", "bytes"))
}

// Write replaces a file, or creates it together with the missing directories. A concurrent reader sees the old text or the
// new one, and so does a machine after a power failure. A replaced file keeps its permissions. Write refuses symbolic links.
func (r *Root) Write(given, text string) (*WriteResult, error) {
	if !r.options.Write {
		return nil, &PathError{Path: given, Reason: ReadOnly}
	}
	name, err := r.inside(given)
	if err != nil {
		return nil, err
	}
	if name == "." || strings.HasSuffix(given, "/") {
		return nil, &PathError{Path: given, Reason: IsDirectory}
	}
	if int64(len(text)) > r.options.MaxFile {
		return nil, &PathError{
			Path: given, Reason: TooLarge,
			Detail: fmt.Sprintf("the text has %d bytes, the limit is %d", len(text), r.options.MaxFile),
		}
	}
	created, err := r.root.Write(name, []byte(text))
	if err != nil {
		return nil, r.pathError(given, name, err)
	}
	return &WriteResult{name, len(text), created}, nil
}
