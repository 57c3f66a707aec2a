//go:build !wasm

package wire

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxJSONDepth bounds the recursion of AppendJSON. It is far deeper than any document of the host can nest around
// the values of a guest.
const maxJSONDepth = 1000

// AppendJSON appends the JSON form of a value. The form is compact, keeps the map keys in the order of r, writes bytes as
// base64, and gives every float a point or an exponent. A canonical value has exactly one such form. AppendJSON validates
// r, so the error is an [*Error]. It limits neither bytes nor values, and its limit on depth does not matter in practice.
func AppendJSON(dst []byte, r Raw) ([]byte, error) {
	if len(r) == 0 {
		return append(dst, "null"...), nil
	}
	if err := Validate(r, Limits{MaxBytes: len(r), MaxDepth: maxJSONDepth, MaxNodes: len(r)}); err != nil {
		return dst, err
	}
	if dst == nil {
		dst = make([]byte, 0, len(r)+len(r)/2+16) // usually enough
	}
	dst, _ = appendJSON(dst, r, 0)
	return dst, nil
}

// JSON returns the JSON form of r, see [AppendJSON]. It returns "null" if r is not a valid value.
func (r Raw) JSON() string {
	b, err := AppendJSON(nil, r)
	if err != nil {
		return "null"
	}
	return string(b)
}

func appendJSON(dst []byte, b Raw, at int) (out []byte, next int) {
	t, _ := readToken(b, at)
	at += t.size
	switch t.kind {
	case kindNil:
		return append(dst, "null"...), at
	case kindBool:
		return strconv.AppendBool(dst, t.bits == 1), at
	case kindUint:
		return strconv.AppendUint(dst, t.bits, 10), at
	case kindInt:
		return strconv.AppendInt(dst, int64(t.bits), 10), at
	case kindFloat:
		return appendJSONFloat(dst, t), at
	case kindString:
		return appendJSONString(dst, b[at:at+t.count]), at + t.count
	case kindBin:
		dst = append(dst, '"')
		dst = base64.StdEncoding.AppendEncode(dst, b[at:at+t.count])
		return append(dst, '"'), at + t.count
	case kindArray:
		dst = append(dst, '[')
		for i := range t.count {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst, at = appendJSON(dst, b, at)
		}
		return append(dst, ']'), at
	default:
		dst = append(dst, '{')
		for i := range t.count {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst, at = appendJSON(dst, b, at)
			dst = append(dst, ':')
			dst, at = appendJSON(dst, b, at)
		}
		return append(dst, '}'), at
	}
}

// appendJSONFloat writes a float as encoding/json does, but 2 as 2.0, so that it comes back as a float.
func appendJSONFloat(dst []byte, t token) []byte {
	var v any = t.float()
	if t.size == 5 {
		v = float32(t.float())
	}
	text, err := json.Marshal(v)
	if err != nil { // NaN and infinities are not valid values
		return append(dst, "null"...)
	}
	dst = append(dst, text...)
	if !bytes.ContainsAny(text, ".e") {
		dst = append(dst, ".0"...)
	}
	return dst
}

const hexDigits = "0123456789abcdef"

// appendJSONString escapes only what JSON requires, so that text stays readable.
func appendJSONString(dst, s []byte) []byte {
	dst = append(dst, '"')
	start := 0
	for i, c := range s {
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	return append(append(dst, s[start:]...), '"')
}

// FromJSON returns the canonical msgpack form of one JSON text. Integers stay integers as far as 64 bits hold them;
// other numbers become float64. It refuses whatever [Validate] would refuse under limits, including a duplicate key
// in an object.
func FromJSON(text []byte, limits Limits) (Raw, error) {
	limits = limits.withDefaults()
	if len(text) > limits.MaxBytes {
		return nil, fmt.Errorf("json: %d bytes, the limit is %d", len(text), limits.MaxBytes)
	}
	if !utf8.Valid(text) {
		return nil, errors.New("json: not valid UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("json: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("json: more than one value: text goes on at byte %d", d.InputOffset())
	}
	members := 0
	v, err := numbers(v, &members)
	if err != nil {
		return nil, err
	}
	if members != countMembers(text) {
		return nil, repeatedKey(text)
	}
	b, err := AppendValue(nil, v)
	if err != nil {
		return nil, err
	}
	if err := Validate(b, limits); err != nil {
		return nil, fmt.Errorf("json: as %w", err)
	}
	return b, nil
}

// numbers replaces the json.Numbers of v, in place where it can, and counts the members of its objects.
func numbers(v any, members *int) (any, error) {
	var err error
	switch v := v.(type) {
	case json.Number:
		return number(string(v))
	case []any:
		for i := range v {
			if v[i], err = numbers(v[i], members); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		*members += len(v)
		for k := range v {
			if v[k], err = numbers(v[k], members); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}

// countMembers returns how many members the objects of a JSON text have, which is the number of colons outside
// strings. encoding/json keeps only one of several members with the same name, so a higher count than in the decoded
// value reveals a duplicate.
func countMembers(text []byte) int {
	n, inString := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case c == ':' && !inString:
			n++
		}
	}
	return n
}

// repeatedKey names the first duplicate key in an object of a JSON text.
func repeatedKey(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	var seen []map[string]bool // of the arrays and objects that are open, nil for an array
	isKey := false
	for {
		token, err := d.Token()
		if err != nil {
			return errors.New("json: a key appears twice in one object")
		}
		switch token {
		case json.Delim('{'):
			seen = append(seen, map[string]bool{})
		case json.Delim('['):
			seen = append(seen, nil)
		case json.Delim('}'), json.Delim(']'):
			seen = seen[:len(seen)-1]
		default:
			if key, ok := token.(string); ok && isKey {
				if seen[len(seen)-1][key] {
					return errors.New("json: the key " + quote([]byte(key)) + " appears twice in one object")
				}
				seen[len(seen)-1][key] = true
				isKey = false
				continue
			}
		}
		isKey = len(seen) > 0 && seen[len(seen)-1] != nil
	}
}

func number(text string) (any, error) {
	if !strings.ContainsAny(text, ".eE") {
		if i, err := strconv.ParseInt(text, 10, 64); err == nil {
			return i, nil
		}
		if u, err := strconv.ParseUint(text, 10, 64); err == nil {
			return u, nil
		}
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, fmt.Errorf("json: the number %s is out of range", text)
	}
	return f, nil
}

// MarshalJSON gives the JSON form, so that a Raw inside a Go value appears as the value that it holds.
func (r Raw) MarshalJSON() ([]byte, error) { return AppendJSON(nil, r) }

// UnmarshalJSON takes the canonical form of a JSON text, see [FromJSON].
func (r *Raw) UnmarshalJSON(text []byte) error {
	v, err := FromJSON(text, DefaultLimits)
	if err != nil {
		return err
	}
	*r = v
	return nil
}

// MarshalJSON gives the map as a JSON object.
func (m Map) MarshalJSON() ([]byte, error) { return AppendJSON(nil, m.Raw()) }

// UnmarshalJSON takes a JSON object, see [FromJSON].
func (m *Map) UnmarshalJSON(text []byte) error {
	v, err := FromJSON(text, DefaultLimits)
	if err != nil {
		return err
	}
	_, err = m.UnmarshalMsg(v)
	return err
}
