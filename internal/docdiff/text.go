package docdiff

import (
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"

	"github.com/agenthost/agenthost/abi/wire"
)

// How much of a value is shown, in runes: of one that stands alone, and of a text before and behind its first difference.
const (
	mostText = 160
	before   = 20
	behind   = 60
)

// text shows a value.
func text(v wire.Raw) string { return Clean(cut(v.JSON(), mostText)) }

// texts shows two values that differ, so that the difference is to be seen.
func texts(a, b wire.Raw) (was, is string) {
	x, isText := a.AsString()
	y, alsoText := b.AsString()
	if isText && alsoText {
		return around(x, y)
	}
	was, is = text(a), text(b)
	if was == is { // bytes and a text, or floats of two widths, or they differ where they are cut
		was, is = was+" ("+a.Type()+")", is+" ("+b.Type()+")"
	}
	return was, is
}

// around shows two texts where they first differ.
func around(a, b string) (was, is string) {
	x, y := []rune(a), []rune(b)
	same := 0
	for same < min(len(x), len(y)) && x[same] == y[same] {
		same++
	}
	return part(x, same), part(y, same)
}

// part shows a text around the rune at.
func part(runes []rune, at int) string {
	from, to := at-before, at+behind
	head, tail := "…", "…"
	if from <= 1 {
		from, head = 0, ""
	}
	if to >= len(runes)-1 {
		to, tail = len(runes), ""
	}
	return Clean(wire.String(head + string(runes[from:to]) + tail).JSON())
}

// opaque shows a document that is malformed, or the other one beside it; "" if there is none.
func opaque(b []byte, err error) string {
	const most = 24
	switch {
	case len(b) == 0:
		return ""
	case err == nil:
		return text(b)
	}
	shown := hex.EncodeToString(b[:min(len(b), most)])
	if len(b) > most {
		shown += "…"
	}
	return Clean(fmt.Sprintf("malformed (%v), %d bytes: %s", err, len(b), shown))
}

// key is the path of a key of a map.
func key(path, name string) string {
	plain := name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	switch {
	case !plain:
		return path + "[" + Clean(cut(wire.String(name).JSON(), mostText)) + "]"
	case path == "":
		return name
	default:
		return path + "." + cut(name, mostText)
	}
}

func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// Clean replaces characters that steer a terminal or turn the direction of a text by their escapes, as in JSON.
func Clean(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	steers := func(r rune) bool {
		return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || unicode.Is(unicode.Bidi_Control, r)
	}
	if !strings.ContainsFunc(text, steers) {
		return text
	}
	var out strings.Builder
	for _, r := range text {
		if steers(r) {
			fmt.Fprintf(&out, `\u%04x`, r)
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}
