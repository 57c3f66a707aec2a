package memory

import (
	"iter"
	"slices"

	"github.com/agenthost/agenthost/host/store"
)

// space is a namespace in the tree. It stays when its last entry is removed, to keep the version, and while there are
// namespaces under it. The methods that only read also work on nil, a namespace that never existed.
type space struct {
	under   sorted[*space] // by the next name
	entries sorted[*entry]
	bytes   int64  // of all entries, as a quota counts
	version uint64 // the last that was given
}

// entry is an entry in its namespace.
type entry struct {
	store.Entry

	space *space
	turn  int // its index in the expiry, if it expires
}

// version returns the version, or 0 if there is no entry.
func (e *entry) version() uint64 {
	if e == nil {
		return 0
	}
	return e.Version
}

// size returns how much the entry counts against the quota, or 0 if there is no entry.
func (e *entry) size() int64 {
	if e == nil {
		return 0
	}
	return store.Size(e.Key, e.Size)
}

// find returns a namespace under this one; nil if there is none.
func (s *space) find(path store.Namespace) *space {
	for _, name := range path {
		if s = s.under.at[name]; s == nil {
			return nil
		}
	}
	return s
}

// make returns a namespace under this one, and creates it if needed.
func (s *space) make(path store.Namespace) *space {
	for _, name := range path {
		next := s.under.at[name]
		if next == nil {
			next = &space{}
			s.under.put(name, next)
		}
		s = next
	}
	return s
}

// drop removes a namespace under this one with everything below it, and ancestors that led only to it. It passes each entry to
// removed.
func (s *space) drop(path store.Namespace, removed func(*entry)) {
	present := s.find(path)
	if present == nil {
		return
	}
	for below := range present.walk(nil, nil) {
		for e := range present.find(below).entries.from("", "") {
			removed(e)
		}
	}
	for last, name := range slices.Backward(path) {
		parent := s.find(path[:last])
		parent.under.remove(name)
		if parent.version > 0 || len(parent.under.keys) > 0 {
			return
		}
	}
}

// walk returns the paths of this namespace and of those under it, if they have entries, in order. path is this namespace's
// own; only paths that follow the argument after are returned. A path is valid until the next one.
func (s *space) walk(path, after store.Namespace) iter.Seq[store.Namespace] {
	return func(yield func(store.Namespace) bool) { s.visit(path, after, yield) }
}

// visit implements walk; it returns false if yield did.
func (s *space) visit(path, after store.Namespace, yield func(store.Namespace) bool) bool {
	first := ""
	switch order := path.Compare(after); {
	case len(after) > len(path) && slices.Equal(after[:len(path)], path):
		first = after[len(path)]
	case order < 0:
		return true // nothing that begins with path follows after
	case len(s.entries.keys) > 0 && (order > 0 || len(after) == 0) && !yield(path):
		return false
	}
	for name := range s.under.names(first, "") {
		if !s.under.at[name].visit(append(path, name), after, yield) {
			return false
		}
	}
	return true
}

// entry returns the entry of a key; nil if there is none.
func (s *space) entry(key string) *entry {
	if s == nil {
		return nil
	}
	return s.entries.at[key]
}

// holds returns the usage that a quota counts.
func (s *space) holds() store.Usage {
	if s == nil {
		return store.Usage{}
	}
	return store.Usage{Bytes: s.bytes, Entries: len(s.entries.keys)}
}

// put adds an entry, or replaces the one with its key. bytes is the new total of the namespace.
func (s *space) put(e *entry, bytes int64) {
	s.entries.put(e.Key, e)
	s.bytes = bytes
}

func (s *space) remove(e *entry) {
	s.entries.remove(e.Key)
	s.bytes -= e.size()
}
