package wire

import (
	"slices"
	"strconv"
)

// AppendValue appends a Go value in canonical form. It knows nil, booleans, the integer and float types, string,
// []byte, [Raw], [Map], []any, []string and map[string]any of these. Any other type is an error that names its
// path. Use a codec with reflection for other Go types, as the host's fields do.
func AppendValue(dst []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return AppendNil(dst), nil
	case bool:
		return AppendBool(dst, v), nil
	case string:
		return AppendString(dst, v), nil
	case []byte:
		return AppendBin(dst, v), nil
	case Raw:
		return v.MarshalMsg(dst)
	case Map:
		return v.MarshalMsg(dst)
	case []string:
		dst = AppendArrayHeader(dst, len(v))
		for _, s := range v {
			dst = AppendString(dst, s)
		}
		return dst, nil
	case []any:
		return appendSlice(dst, v)
	case map[string]any:
		return appendGoMap(dst, v)
	default:
		return appendNumber(dst, v)
	}
}

func appendNumber(dst []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case int:
		return AppendInt(dst, int64(v)), nil
	case int8:
		return AppendInt(dst, int64(v)), nil
	case int16:
		return AppendInt(dst, int64(v)), nil
	case int32:
		return AppendInt(dst, int64(v)), nil
	case int64:
		return AppendInt(dst, v), nil
	case uint:
		return AppendUint(dst, uint64(v)), nil
	case uint8:
		return AppendUint(dst, uint64(v)), nil
	case uint16:
		return AppendUint(dst, uint64(v)), nil
	case uint32:
		return AppendUint(dst, uint64(v)), nil
	case uint64:
		return AppendUint(dst, v), nil
	case float32:
		return AppendFloat(dst, float64(v)), nil
	case float64:
		return AppendFloat(dst, v), nil
	default:
		return dst, &TypeError{}
	}
}

func appendSlice(dst []byte, list []any) ([]byte, error) {
	dst = AppendArrayHeader(dst, len(list))
	var err error
	for i, item := range list {
		if dst, err = AppendValue(dst, item); err != nil {
			return dst, within(err, "["+strconv.Itoa(i)+"]")
		}
	}
	return dst, nil
}

func appendGoMap(dst []byte, m map[string]any) ([]byte, error) {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	SortStrings(keys)
	dst = AppendMapHeader(dst, len(keys))
	var err error
	for _, k := range keys {
		dst = AppendString(dst, k)
		if dst, err = AppendValue(dst, m[k]); err != nil {
			return dst, within(err, "."+k)
		}
	}
	return dst, nil
}

// TypeError reports a Go value that has no msgpack form in this package.
type TypeError struct{ Path string }

func (e *TypeError) Error() string {
	return "msgpack: the value" + e.Path + " has a Go type without a msgpack form; use nil, booleans, numbers, " +
		"strings, bytes, lists and maps with string keys"
}

// within puts step in front of the path of the error.
func within(err error, step string) error {
	if e, ok := err.(*TypeError); ok { //nolint:errorlint // AppendValue returns it unwrapped
		return &TypeError{Path: step + e.Path}
	}
	return err
}

// Value decodes r to nil, bool, int64 (uint64 above its range), float64, string, []byte, []any or map[string]any.
// It validates r with [DefaultLimits], so the error is an [*Error].
func (r Raw) Value() (any, error) {
	if err := Validate(r, DefaultLimits); err != nil {
		return nil, err
	}
	v, _ := decode(r, 0)
	return v, nil
}

// decode makes a Go value from the validated value at b[at:].
func decode(b []byte, at int) (v any, next int) {
	t, _ := readToken(b, at)
	at += t.size
	switch t.kind {
	case kindNil:
		return nil, at
	case kindBool:
		return t.bits == 1, at
	case kindUint:
		if int64(t.bits) < 0 {
			return t.bits, at
		}
		return int64(t.bits), at
	case kindInt:
		return int64(t.bits), at
	case kindFloat:
		return t.float(), at
	case kindString:
		return string(b[at : at+t.count]), at + t.count
	case kindBin:
		return slices.Clone(b[at : at+t.count]), at + t.count
	case kindArray:
		list := make([]any, t.count)
		for i := range list {
			list[i], at = decode(b, at)
		}
		return list, at
	default:
		m := make(map[string]any, t.count)
		for range t.count {
			k, _ := readToken(b, at)
			at += k.size + k.count
			m[string(b[at-k.count:at])], at = decode(b, at)
		}
		return m, at
	}
}
