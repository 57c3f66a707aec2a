package terminal

import (
	"fmt"
	"strings"

	"github.com/agenthost/agenthost/internal/text"
)

// Text replaces the characters that would control the terminal in a text of several lines. Line breaks and tabs stay.
func Text(foreign string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && text.Steers(r) {
			return '\uFFFD'
		}
		return r
	}, foreign)
}

// maxLine is how many characters of a foreign text a line shows.
const maxLine = 500

// Line makes a foreign text safe as part of a line, and shortens it.
func Line(foreign string) string { return text.Cut(text.Clean(foreign), maxLine) }

// Lines formats foreign names as a list.
func Lines(names []string) string {
	const most = 60
	shown := make([]string, 0, min(len(names), most+1))
	for _, name := range names[:min(len(names), most)] {
		shown = append(shown, Line(name))
	}
	if more := len(names) - most; more > 0 {
		shown = append(shown, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(shown, ", ")
}
