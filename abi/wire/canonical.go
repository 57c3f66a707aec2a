package wire

import (
	"bytes"
	"slices"
)

// Canonical validates b and returns it in canonical form: map keys are sorted by their bytes, integers and lengths
// have their shortest form, and integers ≥ 0 are unsigned. Floats keep their width. It returns b itself if b is
// already canonical.
func Canonical(b []byte, limits Limits) ([]byte, error) {
	canonical, err := scan(b, limits)
	if err != nil || canonical {
		return b, err
	}
	out := make([]byte, 0, len(b))
	out, _ = appendCanonical(out, b, 0)
	return out, nil
}

// appendCanonical appends the value at b[at:]. The value was validated, so it is complete and its nesting is within the
// limits.
func appendCanonical(dst, b []byte, at int) (out []byte, next int) {
	t, _ := readToken(b, at)
	at += t.size
	switch t.kind {
	case kindUint:
		return AppendUint(dst, t.bits), at
	case kindInt:
		return AppendInt(dst, int64(t.bits)), at
	case kindString:
		dst = AppendStringHeader(dst, t.count)
	case kindBin:
		dst = AppendBinHeader(dst, t.count)
	case kindArray:
		dst = AppendArrayHeader(dst, t.count)
		for range t.count {
			dst, at = appendCanonical(dst, b, at)
		}
		return dst, at
	case kindMap:
		return appendCanonicalMap(dst, b, at, t.count)
	default: // nil, booleans and floats have one form
		return append(dst, b[at-t.size:at]...), at
	}
	return append(dst, b[at:at+t.count]...), at + t.count
}

func appendCanonicalMap(dst, b []byte, at, count int) (out []byte, next int) {
	type pair struct {
		key     []byte
		valueAt int
	}
	pairs := make([]pair, 0, count)
	for range count {
		t, _ := readToken(b, at)
		key := b[at+t.size : at+t.size+t.count]
		at += t.size + t.count
		pairs = append(pairs, pair{key, at})
		at, _ = skip(b, at) // it is valid
	}
	slices.SortFunc(pairs, func(x, y pair) int { return bytes.Compare(x.key, y.key) })
	dst = AppendMapHeader(dst, count)
	for _, p := range pairs {
		dst = AppendStringHeader(dst, len(p.key))
		dst = append(dst, p.key...)
		dst, _ = appendCanonical(dst, b, p.valueAt)
	}
	return dst, at
}
