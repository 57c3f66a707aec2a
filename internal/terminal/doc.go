// Package terminal makes what models, tools, plugins and users of an agent wrote fit to be printed: it must not steer the
// terminal of whoever reads it, nor look like a line of ours.
package terminal

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Steers reports whether a terminal does something else with a character than to show it, or shows what follows in another
// direction.
func Steers(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || unicode.Is(unicode.Bidi_Control, r)
}

// hides reports whether a character steers a terminal or may be there without being seen.
func hides(r rune) bool { return Steers(r) || unicode.Is(unicode.Cf, r) }

// IsPlain reports whether a text stands in a line as it is, all of it to be seen.
func IsPlain(text string) bool { return utf8.ValidString(text) && !strings.ContainsFunc(text, hides) }
