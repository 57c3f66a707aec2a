package text

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"unicode/utf8"
)

const (
	shortLine = 1 << 10 // lines up to this size, in bytes, are searched without looking at the context
	lookAfter = 128     // how many characters are read before the context is looked at again
)

// Find returns the place of the leftmost match in a line, as [regexp.Regexp.FindIndex] does; nil if there is none or the context
// has ended.
//
// An RE2 expression takes time in proportion to the line, but also to the expression itself: a{1,999}b needs minutes for a line of
// some megabytes, such as one of a minified script, and a search of package regexp cannot be stopped.
func Find(ctx context.Context, expression *regexp.Regexp, line []byte) []int {
	if len(line) <= shortLine {
		return expression.FindIndex(line)
	}
	prefix, literal := expression.LiteralPrefix()
	switch {
	case literal:
		return expression.FindIndex(line)
	case !bytes.Contains(line, []byte(prefix)):
		return nil
	}
	at := expression.FindReaderIndex(&lineReader{ctx: ctx, line: line})
	if ctx.Err() != nil {
		return nil // the reader ended early
	}
	return at
}

// lineReader reads a line, which ends with the context.
type lineReader struct {
	ctx  context.Context //nolint:containedctx // an io.RuneReader has no other way to get it
	line []byte
	read int // characters
}

// ReadRune returns the next character.
func (r *lineReader) ReadRune() (char rune, size int, err error) {
	r.read++
	if len(r.line) == 0 || r.read%lookAfter == 0 && r.ctx.Err() != nil {
		return 0, 0, io.EOF
	}
	char, size = utf8.DecodeRune(r.line)
	r.line = r.line[size:]
	return char, size, nil
}
