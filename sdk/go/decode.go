package sdk

import "github.com/agenthost/agenthost/abi/wire"

// The functions of this file decode and encode parts of a document. The code that sdk/go/gen writes calls them. The
// parameter key names the value in errors.

// DecodeBool decodes a boolean.
func DecodeBool[T ~bool](dst *T, key string, v Raw) error {
	b, ok := v.AsBool()
	if !ok {
		return mismatch(key, "a boolean", v)
	}
	*dst = T(b)
	return nil
}

// DecodeString decodes a string.
func DecodeString[T ~string](dst *T, key string, v Raw) error {
	s, ok := v.AsString()
	if !ok {
		return mismatch(key, "a string", v)
	}
	*dst = T(s)
	return nil
}

// DecodeInt decodes an integer, which must fit the type.
func DecodeInt[T ~int | ~int8 | ~int16 | ~int32 | ~int64](dst *T, key string, v Raw) error {
	n, ok := v.AsInt()
	if !ok {
		return mismatch(key, "an integer", v)
	}
	if int64(T(n)) != n {
		return &Error{Type: "invalid", Message: key + ": the number is out of range"}
	}
	*dst = T(n)
	return nil
}

// DecodeUint decodes an integer, which must not be negative and must fit the type.
func DecodeUint[T ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64](dst *T, key string, v Raw) error {
	n, ok := v.AsUint()
	if !ok {
		return mismatch(key, "an integer that is not negative", v)
	}
	if uint64(T(n)) != n {
		return &Error{Type: "invalid", Message: key + ": the number is out of range"}
	}
	*dst = T(n)
	return nil
}

// DecodeFloat decodes a number.
func DecodeFloat[T ~float32 | ~float64](dst *T, key string, v Raw) error {
	f, ok := v.AsFloat()
	if !ok {
		return mismatch(key, "a number", v)
	}
	*dst = T(f)
	return nil
}

// DecodeRaw keeps a value undecoded.
func DecodeRaw(dst *Raw, _ string, v Raw) error {
	*dst = v.Clone()
	return nil
}

// DecodeBytes decodes bytes.
func DecodeBytes(dst *[]byte, key string, v Raw) error {
	b, ok := v.AsBytes()
	if !ok {
		return mismatch(key, "bytes", v)
	}
	*dst = append([]byte(nil), b...)
	return nil
}

// DecodeDynamic decodes a map whose values stay undecoded.
func DecodeDynamic(dst *Map, key string, v Raw) error {
	if !v.IsMap() {
		return mismatch(key, "a map", v)
	}
	_, err := dst.UnmarshalMsg(v)
	return err
}

// DecodeElement decodes a document that is an element of a list or map.
func DecodeElement[T any, P interface {
	*T
	Document
}](dst *T, key string, v Raw) error {
	return DecodeDocument(P(dst), key, v)
}

// DecodeDocument decodes a document.
func DecodeDocument(dst Document, key string, v Raw) error {
	if !v.IsMap() {
		return mismatch(key, "a map", v)
	}
	_, err := dst.UnmarshalMsg(v)
	if e, ok := err.(*Error); ok { //nolint:errorlint // decoders return it unwrapped, and errors.As needs reflection
		return &Error{Type: e.Type, Message: key + "." + e.Message}
	}
	return err
}

// DecodeList decodes an array.
func DecodeList[T any](dst *[]T, key string, v Raw, element func(*T, string, Raw) error) error {
	if !v.IsArray() {
		return mismatch(key, "a list", v)
	}
	list := make([]T, 0, v.Len())
	for e := range v.Elements() {
		var item T
		if err := element(&item, key+"[]", e); err != nil {
			return err
		}
		list = append(list, item)
	}
	*dst = list
	return nil
}

// DecodeMap decodes a map whose values have one type.
func DecodeMap[T any](dst *map[string]T, key string, v Raw, element func(*T, string, Raw) error) error {
	if !v.IsMap() {
		return mismatch(key, "a map", v)
	}
	m := make(map[string]T, v.Len())
	for name, e := range v.Pairs() {
		var item T
		if err := element(&item, key+"."+string(name), e); err != nil {
			return err
		}
		m[string(name)] = item
	}
	*dst = m
	return nil
}

// DecodePointer decodes a value that may be nil.
func DecodePointer[T any](dst **T, key string, v Raw, element func(*T, string, Raw) error) error {
	if v.IsNil() {
		*dst = nil
		return nil
	}
	var item T
	if err := element(&item, key, v); err != nil {
		return err
	}
	*dst = &item
	return nil
}

// SortedKeys returns the keys of a map in ascending order.
func SortedKeys[T any](m map[string]T) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	wire.SortStrings(keys)
	return keys
}

func mismatch(key, expected string, v Raw) error {
	found := v.Type()
	if found == "" {
		found = "nothing"
	}
	return &Error{Type: "invalid", Message: key + ": " + expected + " is expected, not " + found}
}
