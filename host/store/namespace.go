package store

import (
	"fmt"
	"slices"
	"strings"
)

// Namespace locates entries: a path of names, outermost first. Each name is at least one byte of UTF-8 without control
// characters. No name has a special meaning, not even "/" or "..". All names, with one byte between each two, have at most
// [MaxNamespace] bytes.
type Namespace []string

// MaxNamespace is the maximum length of a [Namespace.Path], in bytes.
const MaxNamespace = 1024

// Check reports an invalid namespace. An empty one is invalid.
func (n Namespace) Check() error {
	if len(n) == 0 {
		return fmt.Errorf("%w: the namespace is empty", ErrInvalid)
	}
	length := len(n) - 1
	for _, name := range n {
		if name == "" {
			return fmt.Errorf("%w: the namespace %q contains an empty name", ErrInvalid, []string(n))
		}
		if problem := problemOf(name); problem != "" {
			return fmt.Errorf("%w: the namespace %s", ErrInvalid, problem)
		}
		length += len(name)
	}
	if length > MaxNamespace {
		return fmt.Errorf("%w: the namespace has %d bytes; the limit is %d", ErrInvalid, length, MaxNamespace)
	}
	return nil
}

// Compare orders namespaces name by name, by their bytes; a prefix of another one comes first.
func (n Namespace) Compare(other Namespace) int { return slices.Compare(n, other) }

// separator separates names in a path. It sorts before every character that a name may have.
const separator = "\x1f"

// Path returns the namespace as one string, which [ParsePath] reverses. Paths sort like their namespaces.
func (n Namespace) Path() string { return strings.Join(n, separator) }

// Range returns bounds for the paths of this namespace and everything under it: from inclusive, before exclusive. Everything
// is under an empty namespace.
func (n Namespace) Range() (from, before []byte) {
	if len(n) == 0 {
		return []byte{}, []byte{0xff}
	}
	path := n.Path()
	return []byte(path), append([]byte(path), separator[0]+1)
}

// ParsePath returns the namespace of a path.
func ParsePath(path string) Namespace { return strings.Split(path, separator) }
