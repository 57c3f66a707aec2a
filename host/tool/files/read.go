package files

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/agenthost/agenthost/internal/text"
)

const (
	defaultLines = 1000
	maxLines     = 10_000
	// sniffed is how much of a file is looked at to tell whether it is text.
	sniffed = 8 << 10
	// maxCounted is how much of a file is read only to count its lines, in bytes.
	maxCounted = 64 << 20
)

// Page is a part of a text file, the result of [Root.Read].
type Page struct {
	Text    string // whole lines, without the last line break; valid UTF-8
	First   int    // the number of the first line, counting from 1
	Lines   int
	Total   int  // lines of the file; 0 if it is too long to count them
	More    bool // there are lines behind these
	Invalid int  // bytes that were not UTF-8, replaced by U+FFFD
	Cut     int  // bytes missing at the end of the only line, which does not fit
}

// Read reads lines of a text file. Offset is the first line, counting from 1; 0 stands for 1. Limit is the number of
// lines, at most 10,000; 0 stands for 1,000. A page ends before the line with which it would exceed [Options].MaxOutput bytes.
//
// A file with a zero byte in its first 8 KiB is binary. The context ends the reading of a long file.
func (r *Root) Read(ctx context.Context, name string, offset, limit int) (*Page, error) {
	if offset < 0 || limit < 0 {
		return nil, &ArgumentError{"offset and limit", "must not be negative"}
	}
	file, info, err := r.open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	in := bufio.NewReaderSize(file, sniffed)
	head, err := in.Peek(sniffed)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, r.pathError(name, name, err)
	}
	if bytes.IndexByte(head, 0) >= 0 {
		detail := fmt.Sprintf("it has %d bytes", info.Size())
		if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
			detail += ", and seems to be UTF-16"
		}
		return nil, &PathError{Path: name, Reason: Binary, Detail: detail}
	}
	p := pager{page: &Page{First: max(offset, 1)}, room: r.options.MaxOutput, limit: min(limit, maxLines)}
	if limit == 0 {
		p.limit = defaultLines
	}
	if err := p.read(ctx, in); err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return nil, r.pathError(name, name, err)
	}
	if p.page.Lines == 0 && offset > 1 {
		return nil, &ArgumentError{"offset", fmt.Sprintf("%d is behind the end: %q has %s", offset, name, count(p.page.Total, "line", "lines"))}
	}
	return p.page, nil
}

// pager goes through a file line by line, in pieces of the reader's buffer.
type pager struct {
	page     *Page
	room     int // bytes that still fit
	limit    int // lines
	text     strings.Builder
	line     []byte // of the line that is being read, as much as could fit
	length   int    // of that line
	number   int    // of that line, counting from 1
	full     bool
	consumed int
}

func (p *pager) read(ctx context.Context, in *bufio.Reader) error {
	for p.number = 1; ; {
		piece, err := in.ReadSlice('\n')
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		p.consumed += len(piece)
		ends := bytes.HasSuffix(piece, []byte("\n"))
		p.add(bytes.TrimSuffix(piece, []byte("\n")))
		if ends || errors.Is(err, io.EOF) && p.length > 0 {
			p.endLine()
		}
		if errors.Is(err, io.EOF) {
			p.page.Total = p.number - 1
			break
		}
		if p.full && p.consumed > maxCounted {
			break
		}
	}
	p.page.Text = p.text.String()
	return nil
}

func (p *pager) add(piece []byte) {
	p.length += len(piece)
	if p.full || p.number < p.page.First {
		return
	}
	if room := p.room + utf8.UTFMax - len(p.line); room > 0 {
		p.line = append(p.line, piece[:min(len(piece), room)]...)
	}
}

func (p *pager) endLine() {
	defer func() {
		p.line, p.length = p.line[:0], 0
		p.number++
	}()
	switch {
	case p.number < p.page.First:
		return
	case p.page.Lines == p.limit, p.page.Lines > 0 && p.length+1 > p.room:
		p.full = true
	}
	if p.full {
		p.page.More = true
		return
	}
	if p.length > p.room {
		p.line = p.line[:wholeRunes(p.line, p.room)]
		p.page.Cut = p.length - len(p.line)
		p.full = true
	}
	if p.page.Lines > 0 {
		p.text.WriteByte('\n')
	}
	p.page.Invalid += appendValid(&p.text, p.line)
	p.room -= p.length + 1
	p.page.Lines++
}

// wholeRunes returns the largest length up to limit at which no rune is cut.
func wholeRunes(line []byte, limit int) int {
	return len(text.Head(line, limit))
}

// appendValid appends text with every byte that is not UTF-8 replaced, and counts them.
func appendValid(out *strings.Builder, text []byte) (invalid int) {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if r == utf8.RuneError && size == 1 {
			invalid++
		}
		out.WriteRune(r)
		text = text[size:]
	}
	return invalid
}

// String is the text, and behind it in brackets what there is to know about it.
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
