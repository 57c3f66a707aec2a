package rpc

import (
	"bufio"
	"errors"
	"io"
)

// errLong says that a line exceeds the limit. The line was skipped.
var errLong = errors.New("the line is too long")

// lines reads lines of limited length.
type lines struct {
	in    *bufio.Reader
	limit int
}

// next returns the next line, which is the caller's. The error is errLong, io.EOF, or that of the stream. A last line without an end counts.
func (l *lines) next() ([]byte, error) {
	var line []byte
	long := false
	for {
		piece, err := l.in.ReadSlice('\n')
		if long = long || len(line)+len(piece) > l.limit; long {
			line = nil
		} else {
			line = append(line, piece...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case long:
			return nil, errLong
		case err == nil, errors.Is(err, io.EOF) && len(line) > 0:
			return line, nil
		}
		return nil, err
	}
}
