package files

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/agenthost/agenthost/internal/filetext"
)

const (
	defaultLines = 1000
	maxLines     = 10_000
)

// Page is a part of a text file, the result of [Root.Read].
type Page struct {
	Text    string // whole lines, without the last line break; valid UTF-8
	First   int    // the number of the first line, counting from 1
	Lines   int    // the number of lines
	Total   int    // lines of the file; 0 if it is too long to count them
	More    bool   // lines follow
	Invalid int    // bytes that were not UTF-8, replaced by U+FFFD
	Cut     int    // bytes missing at the end of the only line, which does not fit
}

// Read reads lines of a text file. Offset is the number of the first line, counting from 1; 0 means 1. Limit is the number
// of lines, at most 10,000; 0 means 1,000. A page ends before the line that would make it larger than [Options].MaxOutput.
//
// A file with a zero byte in its first 8 KiB is binary. When the context ends, reading ends with its cause.
func (r *Root) Read(ctx context.Context, name string, offset, limit int) (*Page, error) {
	if offset < 0 || limit < 0 {
		return nil, &ArgumentError{"offset and limit", "must not be negative"}
	}
	file, info, err := r.open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	if limit == 0 {
		limit = defaultLines
	}
	first := max(offset, 1)
	lines, err := filetext.ReadLines(ctx, file, filetext.Page{First: first - 1, Limit: min(limit, maxLines), Room: r.options.MaxOutput})
	if err != nil {
		return nil, r.readError(ctx, name, info.Size(), err)
	}
	if len(lines.Text) == 0 && offset > 1 {
		return nil, &ArgumentError{"offset", fmt.Sprintf("%d is past the end: %q has %s", offset, name, count(lines.Total, "line", "lines"))}
	}
	page := &Page{First: first, Lines: len(lines.Text), Total: max(lines.Total, 0), More: lines.More, Cut: lines.Cut}
	var text strings.Builder
	for i, line := range lines.Text {
		if i > 0 {
			text.WriteByte('\n')
		}
		page.Invalid += appendValid(&text, line)
	}
	page.Text = text.String()
	return page, nil
}

func (r *Root) readError(ctx context.Context, name string, size int64, err error) error {
	if ctx.Err() != nil {
		return err
	}
	binary, ok := errors.AsType[*filetext.BinaryError](err)
	if !ok {
		return r.pathError(name, name, err)
	}
	detail := fmt.Sprintf("it has %d bytes", size)
	if binary.UTF16 {
		detail += ", and seems to be UTF-16"
	}
	return &PathError{Path: name, Reason: Binary, Detail: detail}
}

// appendValid appends a text, replaces each byte that is not UTF-8, and returns the number of replaced bytes.
func appendValid(out *strings.Builder, text string) (invalid int) {
	for text != "" {
		r, size := utf8.DecodeRuneInString(text)
		if r == utf8.RuneError && size == 1 {
			invalid++
		}
		out.WriteRune(r)
		text = text[size:]
	}
	return invalid
}

// String returns the text, followed by notes in brackets.
func (p *Page) String() string {
	var notes []string
	last := p.First + p.Lines - 1
	switch {
	case p.Lines == 0:
		notes = append(notes, "the file is empty")
	case p.More && p.Total > 0:
		notes = append(notes, fmt.Sprintf("lines %d-%d of %d; go on with offset %d", p.First, last, p.Total, last+1))
	case p.More:
		notes = append(notes, fmt.Sprintf("lines %d-%d; go on with offset %d", p.First, last, last+1))
	case p.First > 1:
		notes = append(notes, fmt.Sprintf("lines %d-%d, the end of the file", p.First, last))
	}
	if p.Cut > 0 {
		notes = append(notes, fmt.Sprintf("line %d is longer than can be shown: %s missing at its end", last, count(p.Cut, "byte is", "bytes are")))
	}
	if p.Invalid > 0 {
		notes = append(notes, count(p.Invalid, "byte is not UTF-8 and is shown as �", "bytes are not UTF-8 and are shown as �"))
	}
	if len(notes) == 0 {
		return p.Text
	}
	text := "[" + strings.Join(notes, "]\n[") + "]"
	if p.Lines > 0 {
		text = p.Text + "\n" + text
	}
	return text
}
