package plugin

import (
	"bytes"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
)

// output turns what a guest writes to stdout and stderr into log lines. Language runtimes write a panic's text there, in
// pieces, before they trap or exit.
type output struct {
	instance *instance
	line     []byte // begun, but not ended
}

// outputPart is how much output is processed between checks of the guest's time, in bytes.
const outputPart = 32 << 10

// write takes a piece of output.
func (o *output) write(b []byte) {
	for part := range slices.Chunk(b, outputPart) {
		o.take(part)
		o.instance.worked(outputWork + outputWork*len(part))
	}
}

// outputWork is the work that each byte and each piece of output counts as, in bytes moved: each may be a line.
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

// flush logs an unfinished line. A frame ends with it.
func (o *output) flush() {
	if len(o.line) == 0 {
		return
	}
	line := o.line
	o.line = o.line[:0]
	o.instance.log(abi.LogInfo, line)
	o.instance.frame.printed(line)
}

// printed keeps the line that says why the guest gave up: a panic's line, or else the last line. Rust ends that line with a
// colon and puts the reason on the next one.
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

// lastWords returns what the guest said about why it gave up, or "" if it said nothing.
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
