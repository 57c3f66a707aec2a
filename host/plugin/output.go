package plugin

import (
	"bytes"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
)

// maxLine is where a line of a guest's log is cut, in bytes.
const maxLine = 8 << 10

// output turns what a guest writes to stdout and stderr into log lines. Language runtimes write a panic's text there, in
// pieces, before they trap or exit.
type output struct {
	instance *instance
	line     []byte // begun, and not ended
}

// outputPart is how much output is taken before the guest's time is looked at, in bytes.
const outputPart = 32 << 10

// write takes a piece of output.
func (o *output) write(b []byte) {
	for part := range slices.Chunk(b, outputPart) {
		o.take(part)
		o.instance.worked(outputWork + outputWork*len(part))
	}
}

// outputWork is what a byte of output takes, and a piece of it, in bytes moved: each may be a line.
const outputWork = 16

func (o *output) take(b []byte) {
	for rest := b; len(rest) > 0; {
		part, behind, ended := bytes.Cut(rest, []byte("\n"))
		o.line = append(o.line, part[:min(len(part), maxLine-len(o.line))]...)
		if ended {
			o.flush()
		}
		rest = behind
	}
}

// flush logs the line that was begun. A frame ends with it.
func (o *output) flush() {
	if len(o.line) == 0 {
		return
	}
	line := o.line
	o.line = o.line[:0]
	o.instance.log(abi.LogInfo, line)
	o.instance.frame.printed(line)
}

// printed remembers the line that says why the guest gave up: that of a panic, or else the last one. Rust ends it with
// a colon and has the reason on the next line.
func (f *frame) printed(line []byte) {
	switch text := clean(string(line), 300); {
	case strings.HasSuffix(f.panicLine, ":"):
		f.panicLine += " " + text
	case f.panicLine != "":
	case bytes.HasPrefix(line, []byte("panic:")), bytes.HasPrefix(line, []byte("fatal error:")), bytes.Contains(line, []byte("panicked at")):
		f.panicLine = text
	default:
		f.lastLine = text
	}
}

// lastWords is what the guest said of why it gave up; "" if it said nothing.
func (f *frame) lastWords() string {
	switch {
	case f.lastError != "":
		return f.lastError
	case f.panicLine != "":
		return f.panicLine
	default:
		return f.lastLine
	}
}
