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

// bar precedes each line of a foreign text that would otherwise look like a line of the command.
const bar = "  │ "

// Continued makes a foreign text safe to print at the end of a line: each further line follows a bar. Line breaks at the end are left
// out.
func Continued(foreign string) string { return strings.Join(continued(foreign), "\n") }

func continued(foreign string) []string {
	lines := strings.Split(strings.TrimRight(Text(foreign), "\n"), "\n")
	for i := range lines[1:] {
		lines[i+1] = strings.TrimRight(bar+lines[i+1], " ")
	}
	return lines
}

// Barred returns the lines of a foreign text, each after a bar.
func Barred(foreign string) (lines []string) {
	for line := range strings.Lines(Text(foreign)) {
		lines = append(lines, bar+strings.TrimRight(line, "\n"))
	}
	return lines
}

// List formats foreign texts as indented lines below a heading, which may be foreign, too.
func List(heading string, items []string) string {
	lines := continued(heading)
	for _, item := range items {
		for _, line := range continued(item) {
			lines = append(lines, "  "+line)
		}
	}
	return strings.Join(lines, "\n")
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
