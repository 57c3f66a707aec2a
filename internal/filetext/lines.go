package filetext

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strings"

	"github.com/agenthost/agenthost/internal/text"
)

// maxCounted is how much of a file is read only to count its lines, in bytes.
const maxCounted = 64 << 20

// Page selects lines of a text.
type Page struct {
	First int  // the index of the first line, from 0
	Limit int  // the largest number of lines
	Room  int  // the largest size of the lines together, with a byte between two of them; the first line is cut to it
	CR    bool // lines end with \r and \r\n too, not only with \n
}

// Lines is a page of a text.
type Lines struct {
	Text  []string // without line endings; may be invalid UTF-8
	First int      // the index of the first line, from 0
	Total int      // lines of the whole text; -1 if the text is too long to count them
	More  bool     // lines follow
	Blank bool     // everything that was read is white space
	Cut   int      // bytes missing at the end of the only line, which is larger than the room
}

// ReadLines reads a page of a text. It reports a [*BinaryError] if the content is not text, and the cause of the context
// when the context ends.
func ReadLines(ctx context.Context, r io.Reader, page Page) (Lines, error) {
	in := bufio.NewReaderSize(r, sniffed)
	head, err := in.Peek(sniffed)
	if err != nil && !errors.Is(err, io.EOF) {
		return Lines{}, err
	}
	if isBinary(head) {
		return Lines{}, &BinaryError{UTF16: bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff"))}
	}
	p := pager{page: page, lines: Lines{First: page.First, Blank: true}, room: page.Room, ends: "\n"}
	if page.CR {
		p.ends = "\r\n"
	}
	for read := 0; ; {
		piece, err := in.ReadSlice('\n')
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
			return Lines{}, err
		}
		if ctx.Err() != nil {
			return Lines{}, context.Cause(ctx)
		}
		p.lines.Blank = p.lines.Blank && len(bytes.TrimSpace(piece)) == 0
		p.add(piece)
		if errors.Is(err, io.EOF) {
			break
		}
		if read += len(piece); p.full && read > maxCounted {
			p.lines.Total = -1
			return p.lines, nil
		}
	}
	if p.open {
		p.endLine()
	}
	p.lines.Total = p.number
	return p.lines, nil
}

// pager assembles lines from pieces of a text.
type pager struct {
	page   Page
	ends   string // the characters that end a line
	lines  Lines
	room   int    // bytes that still fit
	number int    // the index of the current line
	line   []byte // the current line, as much of it as may fit and a byte more
	length int    // bytes of the current line
	open   bool   // the current line has bytes
	cr     bool   // the last byte was a \r that ended a line
	full   bool   // the page takes no more lines
}

// add adds a piece, which may have several lines.
func (p *pager) add(piece []byte) {
	for len(piece) > 0 {
		if p.cr && piece[0] == '\n' {
			piece = piece[1:]
		}
		p.cr = false
		at := bytes.IndexAny(piece, p.ends)
		if at < 0 {
			p.extend(piece)
			return
		}
		p.extend(piece[:at])
		p.cr = piece[at] == '\r'
		piece = piece[at+1:]
		p.endLine()
	}
}

// extend adds bytes to the current line.
func (p *pager) extend(part []byte) {
	p.open = p.open || len(part) > 0
	p.length += len(part)
	if p.full || p.number < p.page.First {
		return
	}
	if room := p.room + 1 - len(p.line); room > 0 {
		p.line = append(p.line, part[:min(len(part), room)]...)
	}
}

// endLine adds the current line to the page if the page selects it and it fits.
func (p *pager) endLine() {
	if p.number >= p.page.First {
		taken := len(p.lines.Text)
		p.full = p.full || taken == p.page.Limit || taken > 0 && p.length > p.room
		if p.full {
			p.lines.More = true
		} else {
			line := text.Head(p.line, p.room)
			p.lines.Cut = p.length - len(line)
			p.full = p.lines.Cut > 0
			p.lines.Text = append(p.lines.Text, string(line))
			p.room -= p.length + 1
		}
	}
	p.number++
	p.line, p.length, p.open = p.line[:0], 0, false
}

// SplitLines returns the lines of a text without their endings \n, \r\n or \r.
func SplitLines(text string) []string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}
