// Package linematch looks for a regular expression in a line, for no longer than a context lasts. An expression of RE2 takes
// time in proportion to the line, but also to itself: a{1,999}b needs minutes for a line of some megabytes, such as that of a
// minified script, and a call that has begun cannot be ended.
package linematch

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"unicode/utf8"
)

const (
	// short lines are searched in one go.
	short = 1 << 10
	// between is how many characters are read before the context is looked at again.
	between = 128
)

// Find returns where the leftmost match is, as [regexp.Regexp.FindIndex] does; nil if there is none, or the context has ended.
func Find(ctx context.Context, expression *regexp.Regexp, line []byte) []int {
	if len(line) <= short {
		return expression.FindIndex(line)
	}
	prefix, literal := expression.LiteralPrefix()
	switch {
	case literal:
		return expression.FindIndex(line)
	case !bytes.Contains(line, []byte(prefix)):
		return nil
	}
	at := expression.FindReaderIndex(&reader{ctx: ctx, line: line})
	if ctx.Err() != nil {
		return nil // the end was none
	}
	return at
}

// reader reads a line, which ends with the context.
type reader struct {
	ctx  context.Context //nolint:containedctx // an io.RuneReader has no other way to it
	line []byte
	read int // characters
}

// ReadRune returns the next character.
func (r *reader) ReadRune() (char rune, size int, err error) {
	r.read++
	if len(r.line) == 0 || r.read%between == 0 && r.ctx.Err() != nil {
		return 0, 0, io.EOF
	}
	char, size = utf8.DecodeRune(r.line)
	r.line = r.line[size:]
	return char, size, nil
}
