package terminal

import (
	"fmt"
	"strings"
	"unicode/utf16"
)

// Text replaces what would steer the terminal in a text of several lines; line breaks and tabs stay.
func Text(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && Steers(r) {
			return '\uFFFD'
		}
		return r
	}, text)
}

// maxLine is how much of a foreign text stands inside of a line, in characters.
const maxLine = 500

// Line makes a foreign text fit to stand inside of a line of ours.
func Line(text string) string {
	return Cut(strings.Map(func(r rune) rune {
		if Steers(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD")), maxLine)
}

// Lines are foreign names in a list.
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

// Cut returns the beginning of a text that has more than so many characters, and a mark.
func Cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// escaped writes characters for which escape holds as JSON does, so that nothing is lost.
func escaped(text string, escape func(rune) bool) string {
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
