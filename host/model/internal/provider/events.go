package provider

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

const (
	maxEvent = 32 << 20 // how long an event of a stream may be, in bytes
	maxLoose = 64 << 10 // how much is kept of a stream that is none, in bytes
)

// Events reads a stream of server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html.
type Events struct {
	body  *bufio.Reader
	begun bool // a line was read
	ended bool // the last line ended with CR: an LF right behind it is a part of that
	line  []byte
	data  []byte
	loose []byte
}

// Event is an event of a stream.
type Event struct {
	Kind string // what it says of itself; "": nothing
	Data []byte // its lines of data; valid until the next event is read
	Cut  bool   // the stream has ended before the empty line that ends an event: maybe it is not whole
}

var errEventTooLarge = &TooLargeError{"an event of the response", maxEvent}

// NewEvents returns a reader of the events of a response.
func NewEvents(body io.Reader) *Events { return &Events{body: bufio.NewReader(body)} }

// Next reads the next event that has data; io.EOF says that there is none. Its error is a [*TooLargeError] for an event of more
// than 32 MiB.
func (e *Events) Next() (Event, error) {
	var kind string
	var some bool // there is data, be it empty
	e.data = e.data[:0]
	for {
		err := e.readLine(maxEvent - len(e.data))
		switch {
		case err != nil && some && errors.Is(err, io.EOF):
			return Event{kind, e.data, true}, nil
		case err != nil:
			return Event{}, err
		case len(e.line) == 0 && some:
			return Event{kind, e.data, false}, nil
		case len(e.line) == 0:
			kind = ""
			continue
		}
		name, value, _ := bytes.Cut(e.line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "", "id", "retry": // the first is a comment
		case "data":
			if some {
				e.data = append(e.data, '\n')
			}
			e.data, some = append(e.data, value...), true
		case "event":
			kind = string(value)
		default:
			e.keep(e.line)
		}
	}
}

// keep keeps a line that does not belong to an event.
func (e *Events) keep(line []byte) {
	line = line[:min(len(line), maxLoose-len(e.loose))]
	if e.loose = append(e.loose, line...); len(e.loose) < maxLoose {
		e.loose = append(e.loose, '\n')
	}
}

// Loose are the lines so far that do not belong to any event, at most 64 KiB: what came in place of a stream, or of its rest.
func (e *Events) Loose() []byte { return e.loose }

// readLine reads the next line, which ends with CR, LF, both, or at the end of the stream; io.EOF behind that.
func (e *Events) readLine(limit int) error {
	e.line = e.line[:0]
	for {
		if _, err := e.body.Peek(1); err != nil {
			if errors.Is(err, io.EOF) && len(e.line) > 0 {
				e.begin()
				return nil
			}
			return err
		}
		here, _ := e.body.Peek(e.body.Buffered())
		rest := e.ended && here[0] == '\n'
		e.ended = false
		if rest {
			_, _ = e.body.Discard(1)
			continue
		}
		end := bytes.IndexAny(here, "\r\n")
		whole := end >= 0
		if !whole {
			end = len(here)
		}
		if len(e.line)+end > limit {
			return errEventTooLarge
		}
		e.line = append(e.line, here[:end]...)
		e.ended = whole && here[end] == '\r'
		_, _ = e.body.Discard(min(end+1, len(here)))
		if whole {
			e.begin()
			return nil
		}
	}
}

// begin takes the mark of UTF-8 off the first line.
func (e *Events) begin() {
	if !e.begun {
		e.line = bytes.TrimPrefix(e.line, []byte("\uFEFF"))
	}
	e.begun = true
}
