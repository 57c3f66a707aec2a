package wire

import "iter"

// Type returns the type of the value in the terms of JSON Schema: "null", "boolean", "integer", "number" (for a
// float), "string", "array" or "object". It returns "bytes" for bytes, which JSON cannot express, and "" if there
// is not a value.
func (r Raw) Type() string {
	t, err := readToken(r, 0)
	if err != nil {
		return ""
	}
	switch t.kind {
	case kindNil:
		return "null"
	case kindBool:
		return "boolean"
	case kindUint, kindInt:
		return "integer"
	case kindFloat:
		return "number"
	case kindString:
		return "string"
	case kindBin:
		return "bytes"
	case kindArray:
		return "array"
	default:
		return "object"
	}
}

// Pairs yields the keys and values of the map that r holds, as parts of r. It yields nothing if r holds something
// else. r must be valid.
func (r Raw) Pairs() iter.Seq2[[]byte, Raw] {
	return func(yield func([]byte, Raw) bool) {
		t, err := readToken(r, 0)
		if err != nil || t.kind != kindMap {
			return
		}
		at := t.size
		for range t.count {
			k, err := readToken(r, at)
			if err != nil || at+k.size+k.count > len(r) {
				return
			}
			key := r[at+k.size : at+k.size+k.count]
			at += k.size + k.count
			end, err := skip(r, at)
			if err != nil || !yield(key, r[at:end:end]) {
				return
			}
			at = end
		}
	}
}

// Elements yields the elements of the array that r holds, as parts of r. It yields nothing if r holds something
// else. r must be valid.
func (r Raw) Elements() iter.Seq[Raw] {
	return func(yield func(Raw) bool) {
		t, err := readToken(r, 0)
		if err != nil || t.kind != kindArray {
			return
		}
		at := t.size
		for range t.count {
			end, err := skip(r, at)
			if err != nil || !yield(r[at:end:end]) {
				return
			}
			at = end
		}
	}
}

// Len returns the number of elements of an array or of pairs of a map, and 0 for other values.
func (r Raw) Len() int {
	t, err := readToken(r, 0)
	if err != nil || (t.kind != kindArray && t.kind != kindMap) {
		return 0
	}
	return t.count
}

// Tail returns the encoded elements of an array or pairs of a map without the head, as a part of r. r must be valid.
func (r Raw) Tail() []byte {
	t, err := readToken(r, 0)
	if err != nil || (t.kind != kindArray && t.kind != kindMap) {
		return nil
	}
	return r[t.size:]
}
