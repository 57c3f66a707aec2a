package wire

import (
	"bytes"
	"math"
	"slices"
	"unicode/utf8"
)

// Validate checks that b is exactly one msgpack document that is safe to decode. The document must be within the
// limits, claim no more elements than bytes remain, and have only UTF-8 strings and unique string keys. Extension
// types, NaN, infinities and bytes after the document are refused. Validate does not recurse. It allocates only for
// documents with more than 16 levels, or with more than 32 keys in maps nested in each other. The error is an
// [*Error].
func Validate(b []byte, limits Limits) error {
	_, err := scan(b, limits)
	return err
}

// IsCanonical reports whether b passes [Validate] and is already in the form that [Canonical] gives.
func IsCanonical(b []byte, limits Limits) (bool, error) { return scan(b, limits) }

// container is an array or map that is being scanned, or the document around its one value.
type container struct {
	remaining uint32 // values still to come; two for each pair of a map
	firstKey  uint32 // index of the map's first key in the keys of all open maps
	isMap     bool   // if true, every value with an even remaining count is a key
	sorted    bool   // the keys so far were strictly ascending
}

// span is the position of a key's bytes in the document.
type span struct{ start, end uint32 }

// scanner is the state of a scan.
type scanner struct {
	b         []byte
	at        int
	nodes     int
	canonical bool
	limits    Limits
}

// scan is a loop in one function that keeps its stacks in local variables. Ordinary documents, with up to 16 levels
// and 32 keys in the open maps, therefore need no allocation. The variables are small, because documents are scanned deep inside of
// chains of hooks, where a larger frame makes the goroutine's stack grow.
func scan(b []byte, limits Limits) (canonical bool, err error) {
	var (
		openSpace [17]container
		keySpace  [32]span
	)
	s := scanner{b: b, canonical: true, limits: limits.withDefaults()}
	s.limits.MaxBytes = min(s.limits.MaxBytes, math.MaxInt32) // positions must fit; an int may have 32 bits
	if len(b) > s.limits.MaxBytes {
		return false, errorAt(0, "the document has "+itoa(len(b))+" bytes, the limit is "+itoa(s.limits.MaxBytes))
	}
	keys := keySpace[:0] // keys of all open maps, the innermost last
	open := append(openSpace[:0], container{remaining: 1})
	for len(open) > 0 {
		f := &open[len(open)-1]
		switch {
		case f.remaining == 0:
			if err := s.unique(f, keys); err != nil {
				return false, err
			}
			keys, open = keys[:f.firstKey], open[:len(open)-1]
		case f.isMap && f.remaining%2 == 0:
			f.remaining--
			k, err := s.key(f, keys)
			if err != nil {
				return false, err
			}
			keys = append(keys, k)
		default:
			f.remaining--
			inner, opened, err := s.value(len(open)-1, len(keys))
			if err != nil {
				return false, err
			}
			if opened {
				open = append(open, inner)
			}
		}
	}
	if s.at != len(b) {
		return false, errorAt(s.at, itoa(len(b)-s.at)+" bytes after the document")
	}
	return s.canonical, nil
}

// key reads a key of the map f. Sorted keys cannot repeat; in other maps, unique looks for duplicates.
func (s *scanner) key(f *container, keys []span) (span, error) {
	start := s.at
	t, err := readToken(s.b, s.at)
	if err != nil {
		return span{}, err
	}
	if t.kind != kindString {
		return span{}, errorAt(start, "a map key must be a string")
	}
	if err := s.text(t); err != nil {
		return span{}, err
	}
	k := span{uint32(s.at - t.count), uint32(s.at)}
	if f.sorted && len(keys) > int(f.firstKey) {
		previous := keys[len(keys)-1]
		if string(s.b[previous.start:previous.end]) >= string(s.b[k.start:k.end]) {
			f.sorted, s.canonical = false, false
		}
	}
	return k, nil
}

// value reads a scalar, or the head of an array or map at this depth, which it opens.
func (s *scanner) value(depth, firstKey int) (inner container, opened bool, err error) {
	start := s.at
	s.nodes++
	if s.nodes > s.limits.MaxNodes {
		return container{}, false, errorAt(start, "more than "+itoa(s.limits.MaxNodes)+" values")
	}
	t, err := readToken(s.b, s.at)
	if err != nil {
		return container{}, false, err
	}
	switch t.kind {
	case kindString:
		return container{}, false, s.text(t)
	case kindArray, kindMap:
		inner, err = s.open(t, depth, firstKey)
		return inner, true, err
	default:
		s.canonical = s.canonical && t.shortest
		if t.count > len(s.b)-s.at-t.size {
			return container{}, false, errorAt(start, "the document ends inside a value")
		}
		s.at += t.size + t.count
		return container{}, false, nil
	}
}

func (s *scanner) text(t token) error {
	start := s.at
	s.canonical = s.canonical && t.shortest
	if t.count > len(s.b)-s.at-t.size {
		return errorAt(start, "the document ends inside a value")
	}
	s.at += t.size + t.count
	if !utf8.Valid(s.b[s.at-t.count : s.at]) {
		return errorAt(start, "a string is not valid UTF-8")
	}
	return nil
}

func (s *scanner) open(t token, depth, firstKey int) (container, error) {
	remaining := t.count
	if t.kind == kindMap {
		remaining *= 2
	}
	if remaining > len(s.b)-s.at-t.size {
		return container{}, errorAt(s.at, "the value claims more elements than the document has bytes left")
	}
	if depth == s.limits.MaxDepth {
		return container{}, errorAt(s.at, "nested deeper than "+itoa(s.limits.MaxDepth))
	}
	s.canonical = s.canonical && t.shortest
	s.at += t.size
	return container{remaining: uint32(remaining), firstKey: uint32(firstKey), isMap: t.kind == kindMap, sorted: true}, nil
}

// unique refuses a duplicate key in f, the innermost container. It sorts keys, which nobody uses afterwards.
func (s *scanner) unique(f *container, keys []span) error {
	if !f.isMap || f.sorted {
		return nil
	}
	keys = keys[f.firstKey:]
	slices.SortFunc(keys, func(a, b span) int { return bytes.Compare(s.b[a.start:a.end], s.b[b.start:b.end]) })
	for i := 1; i < len(keys); i++ {
		a, b := keys[i-1], keys[i]
		if bytes.Equal(s.b[a.start:a.end], s.b[b.start:b.end]) {
			return errorAt(int(max(a.start, b.start)), "the key "+quote(s.b[b.start:b.end])+" appears twice in one map")
		}
	}
	return nil
}
