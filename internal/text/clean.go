package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
)

// Steers reports whether a terminal acts on a character instead of showing it, or whether the character changes the direction of
// the text that follows.
func Steers(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || unicode.Is(unicode.Bidi_Control, r)
}

// Clean makes a foreign text safe for a line of a log or a terminal: characters that steer become spaces, and bytes that are not
// UTF-8 the replacement character.
func Clean(text string) string {
	return strings.Map(func(r rune) rune {
		if Steers(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}

// Escape writes the characters that escape selects as JSON does, so that nothing is lost.
func Escape(text string, escape func(rune) bool) string {
	if !strings.ContainsFunc(text, escape) {
		return text
	}
	var out strings.Builder
	for _, r := range text {
		switch {
		case !escape(r):
			out.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&out, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return out.String()
}
