// Package terminal makes what models, tools, plugins and users of an agent wrote fit to be printed: it must not steer the
// terminal of whoever reads it, nor look like a line of ours.
package terminal

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agenthost/agenthost/internal/text"
)

// hides reports whether a character steers a terminal or may be there without being seen.
func hides(r rune) bool { return text.Steers(r) || unicode.Is(unicode.Cf, r) }

// IsPlain reports whether a text stands in a line as it is, all of it to be seen.
func IsPlain(text string) bool { return utf8.ValidString(text) && !strings.ContainsFunc(text, hides) }
