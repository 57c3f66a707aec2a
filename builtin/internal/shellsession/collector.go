package shellsession

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Limits bound how much of a command's output is kept. All output is read and counted.
type Limits struct {
	Lines int // the largest number of lines
	Bytes int // the largest number of bytes, without the marks of stderr
	// WholeLines drops a line that exceeds Bytes. Otherwise the beginning of the line is kept.
	WholeLines bool
}

// The streams of a command.
const (
	stdout = iota
	stderr
	streams
)

// stderrMark precedes each line of stderr.
const stderrMark = "[stderr] "

// collector merges the lines of both streams in the order in which they end, and keeps the first ones.
type collector struct {
	Limits

	text         []byte
	lines, bytes int // received
	overLines    bool
	overBytes    bool
	open         [streams]openLine
}

// openLine is a line that has not ended yet.
type openLine struct {
	kept []byte // the part that there was room for
	size int
}

func (c *collector) write(stream int, data []byte) {
	for len(data) > 0 {
		if c.overLines || c.overBytes {
			c.count(stream, data)
			return
		}
		line, rest, ended := bytes.Cut(data, []byte("\n"))
		if ended {
			line = data[:len(line)+1]
		}
		o := &c.open[stream]
		if room := c.Bytes - c.bytes - o.size; room > 0 {
			o.kept = append(o.kept, line[:min(len(line), room)]...)
		}
		o.size += len(line)
		if ended {
			c.end(stream)
		}
		data = rest
	}
}

// count counts data that there is no room for.
func (c *collector) count(stream int, data []byte) {
	o := &c.open[stream]
	o.kept = nil
	if n := bytes.Count(data, []byte("\n")); n > 0 {
		ended := bytes.LastIndexByte(data, '\n') + 1
		c.lines += n
		c.bytes += o.size + ended
		o.size = len(data) - ended
	} else {
		o.size += len(data)
	}
	c.overLines = c.overLines || c.lines > c.Lines
}

// end ends the open line of a stream.
func (c *collector) end(stream int) {
	o := c.open[stream]
	c.open[stream] = openLine{}
	if o.size == 0 {
		return
	}
	room := max(0, c.Bytes-c.bytes)
	c.lines++
	c.bytes += o.size
	switch {
	case c.lines > c.Lines:
		c.overLines = true
		return
	case c.overBytes:
		return
	case c.bytes > c.Bytes:
		c.overBytes = true
		if o.kept = whole(o.kept[:min(len(o.kept), room)]); c.WholeLines || len(o.kept) == 0 {
			return
		}
	}
	if len(c.text) > 0 && c.text[len(c.text)-1] != '\n' {
		c.text = append(c.text, '\n') // the other stream has ended without a line break
	}
	if stream == stderr {
		c.text = append(c.text, stderrMark...)
	}
	c.text = append(c.text, o.kept...)
}

// whole removes an incomplete character from the end.
func whole(text []byte) []byte {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if b := text[len(text)-n]; utf8.RuneStart(b) {
			if !utf8.FullRune(text[len(text)-n:]) {
				return text[:len(text)-n]
			}
			break
		}
	}
	return text
}

// output returns the kept text. Invalid UTF-8 is replaced.
func (c *collector) output() string {
	return strings.ToValidUTF8(string(c.text), string(utf8.RuneError))
}
