package provider

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
)

const (
	maxEvent = 32 << 20 // maximum length of an event, in bytes
	maxLoose = 64 << 10 // how much text outside of events is kept, in bytes
)

// Events reads a stream of server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html.
type Events struct {
	body  *bufio.Reader
	begun bool // a line was read
	ended bool // the last line ended with CR; an LF right after it belongs to that line ending
	line  []byte
	data  []byte
	loose []byte
	clock *clock // told of tokens; nil: nobody is
}

// Event is an event of a stream.
type Event struct {
	Kind string // the event field; "" if there is none
	Data []byte // the lines of data; valid until the next event is read
	Cut  bool   // the stream ended before the empty line that ends an event, so the event may be incomplete
}

var errEventTooLarge = &TooLargeError{"an event of the response", maxEvent}

// NewEvents returns a reader of the events of a response.
func NewEvents(body io.Reader) *Events {
	e := &Events{body: bufio.NewReader(body)}
	e.Watch(body)
	return e
}

// Watch has the events count as tokens of a response of [Endpoint.Send], from which the body was read.
func (e *Events) Watch(response io.Reader) {
	if clocked, ok := response.(*clockedBody); ok {
		e.clock = clocked.clock
	}
}

// preludes are the kinds of events that come before the first token, or only keep the connection open.
var preludes = []string{
	"ping", "message_start", "content_block_start",
	"response.created", "response.queued", "response.in_progress", "response.output_item.added", "keepalive",
}

// Next reads the next event that has data. The error is io.EOF at the end of the stream, and a [*TooLargeError] for an event of
// more than 32 MiB.
func (e *Events) Next() (Event, error) {
	var kind string
	var some bool // the event has data, possibly empty
	e.data = e.data[:0]
	for {
		err := e.readLine(maxEvent - len(e.data))
		switch {
		case err != nil && some && errors.Is(err, io.EOF):
			return Event{kind, e.data, true}, nil
		case err != nil:
			return Event{}, err
		case len(e.line) == 0 && some:
			if e.clock != nil && !slices.Contains(preludes, kind) {
				e.clock.token()
			}
			return Event{kind, e.data, false}, nil
		case len(e.line) == 0:
			kind = ""
			continue
		}
		name, value, _ := bytes.Cut(e.line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "", "id", "retry": // the empty name is a comment
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

// keep stores a line that does not belong to an event.
func (e *Events) keep(line []byte) {
	line = line[:min(len(line), maxLoose-len(e.loose))]
	if e.loose = append(e.loose, line...); len(e.loose) < maxLoose {
		e.loose = append(e.loose, '\n')
	}
}

// Loose returns the lines so far that do not belong to any event, at most 64 KiB: text that came instead of a stream, or of
// the rest of one.
func (e *Events) Loose() []byte { return e.loose }

// readLine reads the next line, which ends with CR, LF, both, or the end of the stream. After that it returns io.EOF.
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

// begin removes the byte order mark from the first line.
func (e *Events) begin() {
	if !e.begun {
		e.line = bytes.TrimPrefix(e.line, []byte("\uFEFF"))
	}
	e.begun = true
}
