package wire

import (
	"bytes"
	"slices"
	"unsafe"
)

// Raw is one msgpack value that is not decoded. The zero value means that there is no value; it is written as nil
// where a value is required. A Raw never changes after it is made.
type Raw []byte

// Of returns the canonical form of a Go value, see [AppendValue].
func Of(v any) (Raw, error) {
	b, err := AppendValue(nil, v)
	return b, err
}

// String makes a string. Like Int, Uint, Bool and Float, it cannot fail.
func String(v string) Raw { return AppendString(make([]byte, 0, len(v)+5), v) }

// mostInteger is the largest number of bytes that an integer takes.
const mostInteger = 9

// Int makes an integer, see [String].
func Int(v int64) Raw { return AppendInt(make([]byte, 0, mostInteger), v) }

// Uint makes an integer, see [String].
func Uint(v uint64) Raw { return AppendUint(make([]byte, 0, mostInteger), v) }

// Bool makes a boolean, see [String].
func Bool(v bool) Raw { return AppendBool(nil, v) }

// Float makes a float64, see [String].
func Float(v float64) Raw { return AppendFloat(nil, v) }

// IsZero reports whether there is no value at all. A value of nil is a value.
func (r Raw) IsZero() bool { return len(r) == 0 }

// IsNil reports whether there is no value, or the value nil.
func (r Raw) IsNil() bool { return len(r) == 0 || r[0] == 0xc0 }

// Equal reports whether two values have equal bytes. Canonical values are equal exactly if their bytes are.
func (r Raw) Equal(other Raw) bool { return bytes.Equal(r, other) }

// Clone returns a copy that shares nothing with r.
func (r Raw) Clone() Raw { return slices.Clone(r) }

// AsString returns the string that r holds, or false if r holds something else.
func (r Raw) AsString() (string, bool) {
	t, err := readToken(r, 0)
	if err != nil || t.kind != kindString || t.size+t.count != len(r) {
		return "", false
	}
	return string(r[t.size:]), true
}

// AsInt returns the integer that r holds. It returns false if r holds something else, or an integer outside the range
// of int64.
func (r Raw) AsInt() (int64, bool) {
	t, err := readToken(r, 0)
	if err != nil || t.size != len(r) || (t.kind != kindInt && (t.kind != kindUint || int64(t.bits) < 0)) {
		return 0, false
	}
	return int64(t.bits), true
}

// AsUint returns the integer that r holds, or false if r holds something else or a negative integer.
func (r Raw) AsUint() (uint64, bool) {
	t, err := readToken(r, 0)
	if err != nil || t.size != len(r) || t.kind != kindUint && (t.kind != kindInt || int64(t.bits) < 0) {
		return 0, false
	}
	return t.bits, true
}

// AsFloat returns the number that r holds, which may be an integer. It returns false if r holds something else.
func (r Raw) AsFloat() (float64, bool) {
	t, err := readToken(r, 0)
	if err != nil || t.size != len(r) {
		return 0, false
	}
	switch t.kind {
	case kindFloat:
		return t.float(), true
	case kindInt:
		return float64(int64(t.bits)), true
	case kindUint:
		return float64(t.bits), true
	default:
		return 0, false
	}
}

// AsBool returns the boolean that r holds. It returns false, false if r holds something else.
func (r Raw) AsBool() (value, ok bool) {
	t, err := readToken(r, 0)
	if err != nil || t.kind != kindBool || t.size != len(r) {
		return false, false
	}
	return t.bits == 1, true
}

// AsBytes returns the bytes that r holds, as a part of r, or false if r holds something else.
func (r Raw) AsBytes() ([]byte, bool) {
	t, err := readToken(r, 0)
	if err != nil || t.kind != kindBin || t.size+t.count != len(r) {
		return nil, false
	}
	return r[t.size:len(r):len(r)], true
}

// Items returns the elements of the array that r holds, as parts of r, or false if r holds something else. r must be
// valid.
func (r Raw) Items() ([]Raw, bool) {
	t, err := readToken(r, 0)
	if err != nil || t.kind != kindArray {
		return nil, false
	}
	items := make([]Raw, 0, min(t.count, len(r)))
	at := t.size
	for range t.count {
		start := at
		if at, err = skip(r, at); err != nil {
			return nil, false
		}
		items = append(items, r[start:at:at])
	}
	return items, true
}

// Seek returns the rest of r from the value of key on, so that the value can be decoded alone. It returns nil if r does not hold
// a map with that key. The result includes the bytes after the value. r must be valid.
func (r Raw) Seek(key string) []byte {
	t, err := readToken(r, 0)
	if err != nil || t.kind != kindMap {
		return nil
	}
	at := t.size
	for range t.count {
		name, err := readToken(r, at)
		if err != nil || name.kind != kindString {
			return nil
		}
		at += name.size
		if at+name.count > len(r) {
			return nil
		}
		if unsafe.String(unsafe.SliceData(r[at:]), name.count) == key { // TinyGo would make a copy to compare
			return r[at+name.count:]
		}
		if at, err = skip(r, at+name.count); err != nil {
			return nil
		}
	}
	return nil
}

// Get returns the value of a key, as a part of r, or nil if r does not hold a map with that key.
func (r Raw) Get(key string) Raw {
	value, _, err := Cut(r.Seek(key))
	if err != nil {
		return nil
	}
	return value
}

// IsMap reports whether r holds a map, without decoding it.
func (r Raw) IsMap() bool {
	t, err := readToken(r, 0)
	return err == nil && t.kind == kindMap
}

// IsArray reports whether r holds an array, without decoding it.
func (r Raw) IsArray() bool {
	t, err := readToken(r, 0)
	return err == nil && t.kind == kindArray
}

// MarshalMsg appends the value, or nil if there is none.
func (r Raw) MarshalMsg(dst []byte) ([]byte, error) {
	if len(r) == 0 {
		return AppendNil(dst), nil
	}
	return append(dst, r...), nil
}

// UnmarshalMsg takes a copy of the first value of b and returns the rest.
func (r *Raw) UnmarshalMsg(b []byte) ([]byte, error) {
	first, rest, err := Cut(b)
	if err != nil {
		return b, err
	}
	*r = first.Clone()
	return rest, nil
}

// Cut returns the first value of b, as a part of b, and the rest.
func Cut(b []byte) (first Raw, rest []byte, err error) {
	end, err := skip(b, 0)
	if err != nil {
		return nil, b, err
	}
	return b[:end:end], b[end:], nil
}

// Msgsize is the number of bytes that MarshalMsg appends.
func (r Raw) Msgsize() int { return max(1, len(r)) }

// skip returns the offset after the value at b[at:]. The value need not have been validated.
func skip(b []byte, at int) (int, error) {
	for open := 1; open > 0; open-- {
		t, err := readToken(b, at)
		if err != nil {
			return at, err
		}
		at += t.size
		switch t.kind {
		case kindString, kindBin:
			at += t.count
		case kindArray:
			open += t.count
		case kindMap:
			open += 2 * t.count
		default: // nothing follows
		}
		if at > len(b) {
			return len(b), errorAt(len(b), "the document ends inside a value")
		}
		if open-1 > len(b)-at { // also keeps open from overflowing in a 32-bit guest
			return at, errorAt(at, "the value claims more elements than the document has bytes left")
		}
	}
	return at, nil
}
