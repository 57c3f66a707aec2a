package yamltext

import (
	"bytes"
	"strings"
	"unicode"

	"github.com/agenthost/agenthost/abi/wire"
)

// Append appends a value after its key, or after the dash of a list. The lines of a collection are indented by this number of spaces.
func Append(dst []byte, v wire.Raw, indent int) []byte {
	switch {
	case v.IsMap() && v.Len() > 0:
		for key, value := range v.Pairs() {
			dst = appendIndent(dst, indent)
			dst = Append(append(AppendKey(dst, string(key)), ':'), value, indent+2)
		}
		return dst
	case v.IsArray() && v.Len() > 0:
		for item := range v.Elements() {
			dst = append(appendIndent(dst, indent), '-')
			if !item.IsMap() || item.Len() == 0 {
				dst = Append(dst, item, indent+2)
				continue
			}
			inner := Append(nil, item, indent+2)
			dst = append(append(dst, ' '), bytes.TrimLeft(inner, "\n ")...) // the first key follows the dash
		}
		return dst
	}
	if text, ok := v.AsString(); ok && literal(text) {
		dst = append(dst, " |-"...)
		for line := range strings.SplitSeq(text, "\n") {
			if line == "" {
				dst = append(dst, '\n')
				continue
			}
			dst = append(appendIndent(dst, indent), line...)
		}
		return dst
	}
	return append(append(dst, ' '), v.JSON()...)
}

// literal reports whether a text is shown line by line, because that changes nothing in it.
func literal(text string) bool {
	if !strings.Contains(text, "\n") || strings.HasSuffix(text, "\n") || text[0] == ' ' || text[0] == '\n' {
		return false
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line != strings.TrimRight(line, " \t") || line != "" && strings.TrimSpace(line) == "" {
			return false
		}
	}
	return !strings.ContainsFunc(text, func(r rune) bool {
		return r != '\n' && (!unicode.IsPrint(r) || r == unicode.ReplacementChar || r == '\uFEFF')
	})
}

func appendIndent(dst []byte, n int) []byte {
	dst = append(dst, '\n')
	return append(dst, strings.Repeat(" ", n)...)
}

// AppendKey appends a key, quoted unless it is a plain word.
func AppendKey(dst []byte, key string) []byte {
	plain := key != "" && !strings.ContainsFunc(key, func(r rune) bool {
		return r != '_' && (r < 'a' || r > 'z')
	})
	switch key {
	case "true", "false", "null":
		plain = false
	}
	if plain {
		return append(dst, key...)
	}
	return append(dst, wire.String(key).JSON()...)
}
