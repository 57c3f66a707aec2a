package chat

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Reader reads the messages of a person. At the end the error is [io.EOF].
type Reader interface {
	Read(ctx context.Context) (string, error)
}

// MaxMessage is how long a message may be, in bytes.
const MaxMessage = 4 << 20

// Lines reads a message from each line of a stream, which may be a file or another program.
type Lines struct{ from *bufio.Reader }

// NewLines returns a reader of lines.
func NewLines(from io.Reader) *Lines { return &Lines{bufio.NewReader(from)} }

// Read returns the next line. It may wait longer than the context lasts: whose input it is ends it.
func (l *Lines) Read(ctx context.Context) (string, error) {
	var out []byte
	for ctx.Err() == nil {
		piece, err := l.from.ReadSlice('\n')
		out = append(out, piece...)
		switch {
		case len(out) > MaxMessage:
			return "", fmt.Errorf("a line of the input has more than %d bytes; a message has fewer", MaxMessage)
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil && (len(out) == 0 || !errors.Is(err, io.EOF)):
			return "", err
		default:
			return strings.ToValidUTF8(strings.TrimRight(string(out), "\r\n"), "\uFFFD"), nil
		}
	}
	return "", context.Cause(ctx)
}
