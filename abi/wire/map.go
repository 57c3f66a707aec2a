package wire

import "slices"

// Pair is one key of a [Map] with its value.
type Pair struct {
	Key   string
	Value Raw
}

// Map is a msgpack map with string keys. The keys are unique and in ascending order of their bytes. The values
// stay raw. The zero value is the empty map.
type Map []Pair

// MapOf converts a Go map, see [AppendValue].
func MapOf(values map[string]any) (Map, error) {
	m := make(Map, 0, len(values))
	for k, v := range values {
		raw, err := Of(v)
		if err != nil {
			return nil, within(err, "."+k)
		}
		m = append(m, Pair{k, raw})
	}
	m.sort()
	return m, nil
}

// Get returns the value of key, or a nil Raw if there is none.
func (m Map) Get(key string) Raw {
	i, ok := m.find(key)
	if !ok {
		return nil
	}
	return m[i].Value
}

// Has reports whether key is in the map.
func (m Map) Has(key string) bool {
	_, ok := m.find(key)
	return ok
}

// Set sets the value of key in place.
func (m *Map) Set(key string, value Raw) {
	i, ok := m.find(key)
	if ok {
		(*m)[i].Value = value
		return
	}
	*m = slices.Insert(*m, i, Pair{key, value})
}

// Delete removes key in place.
func (m *Map) Delete(key string) {
	if i, ok := m.find(key); ok {
		*m = slices.Delete(*m, i, i+1)
	}
}

// With returns a copy of m to which the pairs of changes are added, replacing those with the same key.
func (m Map) With(changes Map) Map {
	out := make(Map, 0, len(m)+len(changes))
	out = append(out, m...)
	for _, p := range changes {
		out.Set(p.Key, p.Value)
	}
	return out
}

// IsZero reports whether the map is empty.
func (m Map) IsZero() bool { return len(m) == 0 }

// Raw returns the map as one value.
func (m Map) Raw() Raw {
	b, _ := m.MarshalMsg(make([]byte, 0, m.Msgsize()))
	return b
}

// find returns the index of key, or the index where it belongs. Maps are small, so a scan beats a binary search.
func (m Map) find(key string) (int, bool) {
	for i := range m {
		if m[i].Key >= key {
			return i, m[i].Key == key
		}
	}
	return len(m), false
}

// MarshalMsg appends the map.
func (m Map) MarshalMsg(dst []byte) ([]byte, error) {
	dst = AppendMapHeader(dst, len(m))
	for i := range m {
		dst = AppendString(dst, m[i].Key)
		dst, _ = m[i].Value.MarshalMsg(dst)
	}
	return dst, nil
}

// UnmarshalMsg decodes the first value of b, which must be a map with string keys or nil, and returns the rest. The
// values are copies.
func (m *Map) UnmarshalMsg(b []byte) ([]byte, error) {
	t, err := readToken(b, 0)
	if err != nil {
		return b, err
	}
	if t.kind == kindNil {
		*m = nil
		return b[t.size:], nil
	}
	if t.kind != kindMap {
		return b, errorAt(0, "a map is expected")
	}
	at := t.size
	out := make(Map, 0, min(t.count, (len(b)-at)/2))
	sorted := true
	for range t.count {
		var p Pair
		if p.Key, at, err = readKey(b, at); err != nil {
			return b, err
		}
		end, err := skip(b, at)
		if err != nil {
			return b, err
		}
		p.Value = append(Raw(nil), b[at:end]...)
		at = end
		sorted = sorted && (len(out) == 0 || out[len(out)-1].Key < p.Key)
		out = append(out, p)
	}
	if !sorted {
		out.sort()
		for i := 1; i < len(out); i++ {
			if out[i-1].Key == out[i].Key {
				return b, errorAt(0, "the key "+quote([]byte(out[i].Key))+" appears twice in one map")
			}
		}
	}
	*m = out
	return b[at:], nil
}

// Msgsize is an upper bound of the number of bytes that MarshalMsg appends.
func (m Map) Msgsize() int {
	n := 5
	for i := range m {
		n += 5 + len(m[i].Key) + m[i].Value.Msgsize()
	}
	return n
}

func readKey(b []byte, at int) (string, int, error) {
	t, err := readToken(b, at)
	if err != nil {
		return "", at, err
	}
	if t.kind != kindString {
		return "", at, errorAt(at, "a map key must be a string")
	}
	if t.count > len(b)-at-t.size {
		return "", at, errorAt(at, "the document ends inside a value")
	}
	at += t.size
	return string(b[at : at+t.count]), at + t.count, nil
}
