package chat

import (
	"fmt"
	"iter"
	"strings"

	"github.com/rivo/uniseg"
)

// Size is the size of a terminal, in columns and rows.
type Size struct{ Columns, Rows int }

// frame is the edited line as the terminal shows it: in rows of its own, so that the place of the cursor never depends on how a
// terminal breaks lines. Of a line with more rows than the terminal, it shows those up to the cursor.
type frame struct {
	size    Size
	painted string // all that is shown, in rows
	row     int    // of the cursor, counted from the first row shown
	last    bool   // whether the cursor is at the end
}

// paint returns what changes the terminal from showing f to showing a line, and the new frame.
func (f frame) paint(prompt string, l *line) (output string, now frame) {
	rows, row, column := layout(prompt, l, f.size.Columns)
	first := max(0, row-f.size.Rows+1)
	rows = rows[first:min(len(rows), first+f.size.Rows)]
	now = frame{size: f.size, painted: strings.Join(rows, "\r\n"), row: row - first, last: l.at == len(l.text)}
	if added, ok := strings.CutPrefix(now.painted, f.painted); ok && now.last && (f.last || f.painted == "") {
		return added, now
	}
	var out strings.Builder
	if f.row > 0 {
		fmt.Fprintf(&out, "\x1b[%dA", f.row)
	}
	out.WriteString("\r\x1b[J" + now.painted)
	if up := len(rows) - 1 - now.row; up > 0 {
		fmt.Fprintf(&out, "\x1b[%dA", up)
	}
	if !now.last {
		out.WriteString("\r")
		if column > 0 {
			fmt.Fprintf(&out, "\x1b[%dC", column)
		}
	}
	return out.String(), now
}

// layout breaks a prompt and a line into rows, and returns the place of the cursor.
func layout(prompt string, l *line, columns int) (rows []string, row, column int) {
	var current strings.Builder
	used := 0
	end := func() {
		rows, used = append(rows, current.String()), 0
		current.Reset()
	}
	for cluster, width := range clusters(prompt) {
		current.WriteString(cluster)
		used += width
	}
	at := 0
	for cluster, width := range clusters(l.text) {
		shown, width := visible(cluster, width)
		if used+width > columns { // a wide character does not fit into the last column
			end()
		}
		if at == l.at {
			row, column = len(rows), used
		}
		current.WriteString(shown)
		at += len(cluster)
		if used += width; used >= columns {
			end()
		}
	}
	if at == l.at {
		row, column = len(rows), used
	}
	return append(rows, current.String()), row, column
}

// clusters returns the grapheme clusters of a text, and the width of each in columns.
func clusters(text string) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for rest, state := text, -1; rest != ""; {
			var cluster string
			var width int
			cluster, rest, width, state = uniseg.FirstGraphemeClusterInString(rest, state)
			if !yield(cluster, width) {
				return
			}
		}
	}
}

// visible returns what stands for a cluster on the terminal, and its width in columns.
func visible(cluster string, width int) (shown string, columns int) {
	switch cluster {
	case "\n":
		return "⏎", 1
	case "\t":
		return "␉", 1
	}
	return cluster, width
}

// fit shortens a text to a number of columns.
func fit(text string, columns int) string {
	used, at := 0, 0
	for cluster, width := range clusters(text) {
		if used += width; used > columns {
			return text[:at] + "…"
		}
		at += len(cluster)
	}
	return text
}
