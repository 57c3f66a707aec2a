// Package terminal makes foreign text safe to print: text of models, tools, plugins and users must neither control the
// reader's terminal nor look like output of the command.
package terminal

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agenthost/agenthost/internal/text"
)

// hides reports whether a character controls a terminal or may be invisible.
func hides(r rune) bool { return text.Steers(r) || unicode.Is(unicode.Cf, r) }

// IsPlain reports whether a text fits in a line unchanged and is completely visible.
func IsPlain(text string) bool { return utf8.ValidString(text) && !strings.ContainsFunc(text, hides) }
