package store

import (
	"fmt"
	"slices"
	"strings"
)

// Namespace is where entries are: a path of names, from the outermost to the innermost. Each name has at least one byte of
// UTF-8 and no control characters, and means nothing but itself: not "/", nor "..". All names together, and one byte
// between two of them, have at most [MaxNamespace] bytes.
type Namespace []string

// MaxNamespace is the length of the longest [Namespace.Path], in bytes.
const MaxNamespace = 1024

// Check reports a namespace that there cannot be. An empty one is none.
func (n Namespace) Check() error {
	if len(n) == 0 {
		return fmt.Errorf("%w: an empty namespace", ErrInvalid)
	}
	length := len(n) - 1
	for _, name := range n {
		if name == "" {
			return fmt.Errorf("%w: a namespace %q with an empty name", ErrInvalid, []string(n))
		}
		if problem := problemOf(name); problem != "" {
			return fmt.Errorf("%w: a namespace %s", ErrInvalid, problem)
		}
		length += len(name)
	}
	if length > MaxNamespace {
		return fmt.Errorf("%w: a namespace of %d bytes; at most %d", ErrInvalid, length, MaxNamespace)
	}
	return nil
}

// Compare orders namespaces name by name, by their bytes; one that begins another stands before it.
func (n Namespace) Compare(other Namespace) int { return slices.Compare(n, other) }

// separator stands between names in a path. It is no part of any name and less than every character that may be.
const separator = "\x1f"

// Path returns the namespace as one text, from which [ParsePath] makes it again. Paths have the order of their namespaces.
func (n Namespace) Path() string { return strings.Join(n, separator) }

// Range returns between which bytes the paths are of this namespace and all under it: from the first to before the second.
// An empty namespace has all under it.
func (n Namespace) Range() (from, before []byte) {
	if len(n) == 0 {
		return []byte{}, []byte{0xff}
	}
	path := n.Path()
	return []byte(path), append([]byte(path), separator[0]+1)
}

// ParsePath returns the namespace of a path.
func ParsePath(path string) Namespace { return strings.Split(path, separator) }
