package agentfiles

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
)

const (
	// sniffed is how much of a file is looked at to tell whether it is text.
	sniffed = 8 << 10
	// maxCounted is how much of a file is read only to count its lines, in bytes.
	maxCounted = 64 << 20
)

// ErrBinary is content with a zero byte in its first 8 KiB.
var ErrBinary = errors.New("is binary")

// Lines is a part of a text.
type Lines struct {
	Text  []string // without their ends; valid UTF-8
	First int      // the index of the first line, from 0
	Total int      // lines of the whole text; -1 if it is too long to count them
	Blank bool     // the whole text is white space, or there is none
	Cut   bool     // the last line is not whole: it is longer than the room for all
}

// ReadLines reads so many lines from an offset on, and no more of them than room bytes hold, but one at least. Lines end
// with \n, \r\n or \r. Bytes that are not UTF-8 are replaced by U+FFFD.
func ReadLines(ctx context.Context, r io.Reader, offset, limit, room int) (Lines, error) {
	in := bufio.NewReaderSize(r, sniffed)
	head, err := in.Peek(sniffed)
	if err != nil && !errors.Is(err, io.EOF) {
		return Lines{}, err
	}
	if bytes.IndexByte(head, 0) >= 0 {
		return Lines{}, ErrBinary
	}
	p := pager{lines: Lines{First: offset, Blank: true}, limit: limit, room: room}
	for read := 0; ; {
		piece, err := in.ReadSlice('\n')
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
			return Lines{}, err
		}
		if ctx.Err() != nil {
			return Lines{}, context.Cause(ctx)
		}
		p.lines.Blank = p.lines.Blank && len(bytes.TrimSpace(piece)) == 0
		p.piece(piece)
		if errors.Is(err, io.EOF) {
			break
		}
		if read += len(piece); p.full && read > maxCounted {
			p.lines.Total = -1
			return p.lines, nil
		}
	}
	if p.open {
		p.end()
	}
	p.lines.Total = p.number
	return p.lines, nil
}

// pager takes lines in pieces.
type pager struct {
	lines  Lines
	limit  int
	room   int // bytes that still fit
	number int // of the line that is being read, from 0
	line   []byte
	length int  // of that line, as much of it as was seen
	open   bool // something of that line was seen
	cr     bool // the last byte was \r, which has ended a line
	full   bool
}

func (p *pager) piece(piece []byte) {
	for len(piece) > 0 {
		if p.cr && piece[0] == '\n' {
			piece = piece[1:]
		}
		p.cr = false
		at := bytes.IndexAny(piece, "\r\n")
		if at < 0 {
			p.add(piece)
			return
		}
		p.add(piece[:at])
		p.cr = piece[at] == '\r'
		piece = piece[at+1:]
		p.end()
	}
}

func (p *pager) add(piece []byte) {
	p.open = p.open || len(piece) > 0
	p.length += len(piece)
	if p.full || p.number < p.lines.First {
		return
	}
	if room := p.room - len(p.line); room > 0 {
		p.line = append(p.line, piece[:min(len(piece), room)]...)
	}
}

// end takes the line, if it is one of those that are wanted and fits.
func (p *pager) end() {
	wanted := p.number >= p.lines.First
	switch {
	case !wanted, p.full:
	case len(p.lines.Text) == p.limit, len(p.lines.Text) > 0 && p.length > p.room:
		p.full = true
	default:
		p.lines.Cut = p.length > len(p.line)
		p.full = p.lines.Cut
		p.lines.Text = append(p.lines.Text, strings.ToValidUTF8(string(p.line), "\uFFFD"))
		p.room -= p.length + 1
	}
	p.number++
	p.line, p.length, p.open = p.line[:0], 0, false
}

// SplitLines returns the lines of a text, without their ends.
func SplitLines(text string) []string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// IsBinary reports whether content seems to be no text.
func IsBinary(content []byte) bool {
	return bytes.IndexByte(content[:min(len(content), sniffed)], 0) >= 0
}
