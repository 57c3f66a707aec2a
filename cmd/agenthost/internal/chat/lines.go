package chat

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Reader reads the messages of a person. At the end it returns [io.EOF].
type Reader interface {
	Read(ctx context.Context) (string, error)
}

// MaxMessage is the maximum size of a message, in bytes.
const MaxMessage = 4 << 20

// Lines reads one message from each line of a stream.
type Lines struct{ from *bufio.Reader }

// NewLines returns a reader of lines.
func NewLines(from io.Reader) *Lines { return &Lines{bufio.NewReader(from)} }

// Read returns the next line. It may wait longer than the context lasts, unless the input itself ends with the context.
func (l *Lines) Read(ctx context.Context) (string, error) {
	var out []byte
	for ctx.Err() == nil {
		piece, err := l.from.ReadSlice('\n')
		out = append(out, piece...)
		switch {
		case len(out) > MaxMessage:
			return "", fmt.Errorf("a line of the input is longer than %d bytes, the limit of a message; shorten it", MaxMessage)
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil && (len(out) == 0 || !errors.Is(err, io.EOF)):
			return "", err
		default:
			return strings.ToValidUTF8(strings.TrimRight(string(out), "\r\n"), "\uFFFD"), nil
		}
	}
	return "", context.Cause(ctx)
}
