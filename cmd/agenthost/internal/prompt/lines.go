package prompt

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
)

// Lines reads what a person types, line by line.
type Lines struct {
	from    *bufio.Reader
	pending chan line // of a line that is being read; nil: none is
}

type line struct {
	text string
	err  error
}

// NewLines returns the lines of an input.
func NewLines(from io.Reader) *Lines { return &Lines{from: bufio.NewReader(from)} }

// Next returns the next line, without its end. It waits no longer than the context lasts. What is being read then is not
// lost: reading cannot be broken off, so it goes on in a goroutine of its own, and the next call returns it.
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
