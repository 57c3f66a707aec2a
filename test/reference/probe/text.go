package probe

import (
	"math"
	"strconv"
	"strings"

	"github.com/agenthost/agenthost/abi/wire"
)

// Text shows a value in a text: a string unchanged, anything else as compact JSON with sorted keys.
func Text(v wire.Raw) string {
	if text, ok := v.AsString(); ok {
		return text
	}
	var b strings.Builder
	writeJSON(&b, v)
	return b.String()
}

// writeJSON writes the JSON form of a canonical value. Guests are built without the host's own writer.
func writeJSON(b *strings.Builder, v wire.Raw) {
	switch v.Type() {
	case "boolean":
		value, _ := v.AsBool()
		b.WriteString(strconv.FormatBool(value))
	case "integer":
		writeInteger(b, v)
	case "number":
		writeFloat(b, v)
	case "string":
		text, _ := v.AsString()
		writeJSONString(b, text)
	case "array":
		b.WriteByte('[')
		first := true
		for element := range v.Elements() {
			separate(b, &first)
			writeJSON(b, element)
		}
		b.WriteByte(']')
	case "object":
		b.WriteByte('{')
		first := true
		for key, value := range v.Pairs() {
			separate(b, &first)
			writeJSONString(b, string(key))
			b.WriteByte(':')
			writeJSON(b, value)
		}
		b.WriteByte('}')
	default:
		b.WriteString("null")
	}
}

func separate(b *strings.Builder, first *bool) {
	if !*first {
		b.WriteByte(',')
	}
	*first = false
}

func writeInteger(b *strings.Builder, v wire.Raw) {
	if i, ok := v.AsInt(); ok {
		b.WriteString(strconv.FormatInt(i, 10))
		return
	}
	value, _ := v.Value()
	u, _ := value.(uint64)
	b.WriteString(strconv.FormatUint(u, 10))
}

func writeFloat(b *strings.Builder, v wire.Raw) {
	f, _ := v.AsFloat()
	if math.IsNaN(f) || math.IsInf(f, 0) {
		b.WriteString("null")
		return
	}
	text := strconv.FormatFloat(f, 'g', -1, 64)
	if f == math.Trunc(f) && math.Abs(f) < 1e16 {
		text = strconv.FormatFloat(f, 'f', 1, 64)
	}
	b.WriteString(text)
}

func writeJSONString(b *strings.Builder, text string) {
	const digits = "0123456789abcdef"
	b.WriteByte('"')
	for i := range len(text) {
		switch c := text[i]; c {
		case '"', '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case '\n':
			b.WriteString(`\n`)
		case '\r':
			b.WriteString(`\r`)
		case '\t':
			b.WriteString(`\t`)
		default:
			if c < 0x20 {
				b.WriteString(`\u00`)
				b.WriteByte(digits[c>>4])
				b.WriteByte(digits[c&15])
				continue
			}
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
}

// expand replaces every {name} in a text by the value that lookup returns. Unknown names stay.
func expand(text string, lookup func(name string) (string, bool)) string {
	var b strings.Builder
	for {
		open := strings.IndexByte(text, '{')
		if open < 0 {
			b.WriteString(text)
			return b.String()
		}
		length := nameLength(text[open+1:])
		closing := open + 1 + length
		if length == 0 || closing >= len(text) || text[closing] != '}' {
			b.WriteString(text[:open+1])
			text = text[open+1:]
			continue
		}
		b.WriteString(text[:open])
		if value, ok := lookup(text[open+1 : closing]); ok {
			b.WriteString(value)
		} else {
			b.WriteString(text[open : closing+1])
		}
		text = text[closing+1:]
	}
}

// nameLength returns the length of the name at the beginning of a text.
func nameLength(text string) int {
	for i := range len(text) {
		switch c := text[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '.', c == '-', c == '#':
		default:
			return i
		}
	}
	return len(text)
}

// number replaces {n} in every string of a value.
func number(v wire.Raw, n uint64) wire.Raw {
	switch v.Type() {
	case "string":
		text, _ := v.AsString()
		return wire.String(strings.ReplaceAll(text, "{n}", strconv.FormatUint(n, 10)))
	case "array":
		out := wire.AppendArrayHeader(nil, v.Len())
		for element := range v.Elements() {
			out = append(out, number(element, n)...)
		}
		return out
	case "object":
		out := wire.AppendMapHeader(nil, v.Len())
		for key, value := range v.Pairs() {
			out = wire.AppendString(out, string(key))
			out = append(out, number(value, n)...)
		}
		return out
	default:
		return v
	}
}
