package prompt

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
)

// Lines reads typed lines.
type Lines struct {
	from    *bufio.Reader
	pending chan line // of the line being read; nil if there is none
}

type line struct {
	text string
	err  error
}

// NewLines returns a reader of the lines of an input.
func NewLines(from io.Reader) *Lines { return &Lines{from: bufio.NewReader(from)} }

// Next returns the next line without its line break. It stops waiting when the context ends. A read cannot be cancelled, so
// it continues in a goroutine, and the next call returns its line.
func (l *Lines) Next(ctx context.Context) (string, error) {
	if l.pending == nil {
		l.pending = make(chan line, 1)
		go func(to chan<- line) {
			text, err := l.from.ReadString('\n')
			if errors.Is(err, io.EOF) && text != "" {
				err = nil
			}
			to <- line{strings.ToValidUTF8(strings.TrimRight(text, "\r\n"), "\uFFFD"), err}
		}(l.pending)
	}
	select {
	case read := <-l.pending:
		l.pending = nil
		return read.text, read.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}
