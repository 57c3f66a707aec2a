package docdiff

import (
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/text"
)

// How much is shown, in runes: of a single value, and of a text before and after its first difference.
const (
	mostText = 160
	before   = 20
	behind   = 60
)

// shown returns a value as people read it.
func shown(v wire.Raw) string { return Clean(text.Cut(v.JSON(), mostText)) }

// texts returns two different values in a form that shows the difference.
func texts(a, b wire.Raw) (was, is string) {
	x, isText := a.AsString()
	y, alsoText := b.AsString()
	if isText && alsoText {
		return around(x, y)
	}
	was, is = shown(a), shown(b)
	if was == is { // bytes and a text, floats of two widths, or the difference is in the part that was cut
		was, is = was+" ("+a.Type()+")", is+" ("+b.Type()+")"
	}
	return was, is
}

// around returns the parts of two texts around their first difference.
func around(a, b string) (was, is string) {
	x, y := []rune(a), []rune(b)
	same := 0
	for same < min(len(x), len(y)) && x[same] == y[same] {
		same++
	}
	return part(x, same), part(y, same)
}

// part returns the part of a text around the rune at.
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

// opaque returns what is shown of a document if it or the other one is malformed; "" if there is no document.
func opaque(b []byte, err error) string {
	const most = 24
	switch {
	case len(b) == 0:
		return ""
	case err == nil:
		return shown(b)
	}
	digits := hex.EncodeToString(b[:min(len(b), most)])
	if len(b) > most {
		digits += "…"
	}
	return Clean(fmt.Sprintf("malformed (%v), %d bytes: %s", err, len(b), digits))
}

// key returns the path of a key of a map.
func key(path, name string) string {
	plain := name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	switch {
	case !plain:
		return path + "[" + Clean(text.Cut(wire.String(name).JSON(), mostText)) + "]"
	case path == "":
		return name
	default:
		return path + "." + text.Cut(name, mostText)
	}
}

// Clean replaces characters that steer a terminal, or change the direction of a text, by their JSON escapes.
func Clean(foreign string) string {
	return text.Escape(strings.ToValidUTF8(foreign, "\uFFFD"), text.Steers)
}
