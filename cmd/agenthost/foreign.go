package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
)

// What is printed here was written by whoever made a module: it must not steer a terminal, or look like a line of ours.

// oneLine makes a foreign text fit to stand inside of a line.
func oneLine(text string) string {
	const most = 500
	text = strings.Map(func(r rune) rune {
		if steers(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// steers reports whether a terminal does something else with the character than to show it.
func steers(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || unicode.Is(unicode.Bidi_Control, r)
}

// oneLines are foreign names in a list.
func oneLines(names []string) string {
	const most = 60
	shown := make([]string, 0, min(len(names), most+1))
	for _, name := range names[:min(len(names), most)] {
		shown = append(shown, oneLine(name))
	}
	if more := len(names) - most; more > 0 {
		shown = append(shown, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(shown, ", ")
}

// printLine prints a document as one line of JSON. What would steer a terminal is escaped, so that nothing is lost.
func printLine(w io.Writer, doc any) error {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(doc); err != nil {
		return err
	}
	var out strings.Builder
	for _, r := range strings.TrimSuffix(line.String(), "\n") {
		if steers(r) {
			fmt.Fprintf(&out, `\u%04x`, r)
		} else {
			out.WriteRune(r)
		}
	}
	_, err := fmt.Fprintln(w, out.String())
	return err
}
