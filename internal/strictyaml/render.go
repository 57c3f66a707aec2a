package strictyaml

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/agenthost/agenthost/internal/text"
)

const (
	// maxShownLine is the number of runes of a source line that are shown.
	maxShownLine = 100
	// shownBefore is the number of runes before the caret if the line is cut.
	shownBefore = 60
	// maxShownValue is the number of runes of a value that a message quotes.
	maxShownValue = 60
)

// String renders the problem as
//
//	agenthost.yaml:7:7: middleware[2].tool_call_limit: unknown key "run_limt"
//	  7 |       run_limt: 3
//	    |       ^
//	  did you mean "run_limit"?
//
// without a trailing line break.
func (p Problem) String() string {
	var out strings.Builder
	if p.File != "" {
		out.WriteString(printable(p.File))
		if p.Line > 0 {
			fmt.Fprintf(&out, ":%d:%d", p.Line, p.Column)
		}
		out.WriteString(": ")
	}
	if p.Path != "" {
		out.WriteString(p.Path + ": ")
	}
	out.WriteString(following(p.Message, "  │ "))
	if p.Line > 0 && p.Source != "" {
		line, padding := excerpt(p.Source, cmp.Or(p.caret, p.Column))
		number := strconv.Itoa(p.Line)
		fmt.Fprintf(&out, "\n  %s | %s", number, line)
		fmt.Fprintf(&out, "\n  %s | %s^", strings.Repeat(" ", len(number)), padding)
	}
	if p.Hint != "" {
		out.WriteString("\n  " + following(p.Hint, "  "))
	}
	return out.String()
}

// excerpt cuts a line around a column, and returns the padding for the caret below it. Both keep tabs as tabs, so that the caret is in
// the right place at any tab width.
func excerpt(source string, column int) (line, padding string) {
	runes := []rune(printable(source))
	at := min(max(column-1, 0), len(runes))
	from, to := 0, len(runes)
	if len(runes) > maxShownLine {
		from = max(0, min(at-shownBefore, len(runes)-maxShownLine))
		to = from + maxShownLine
	}
	before, after := "", ""
	if from > 0 {
		before = "…"
	}
	if to < len(runes) {
		after = "…"
	}
	line = before + string(runes[from:to]) + after
	padding = strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, before+string(runes[from:max(at, from)]))
	return strings.TrimRight(line, " \t"), padding
}

// printable replaces characters that could move a terminal's cursor or reorder its text.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' || unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}

// following puts a mark before each line after the first. The bar before those of a message distinguishes them from the lines of the
// problem, since a message may quote a plugin or a server.
func following(s, mark string) string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	for i := range lines {
		lines[i] = printable(lines[i])
	}
	return strings.Join(lines, "\n"+mark)
}

// quote shows a piece of the user's text in a message.
func quote(s string) string { return strconv.Quote(cut(s)) }

// cut shortens a piece of the user's text.
func cut(s string) string { return text.Cut(s, maxShownValue) }
