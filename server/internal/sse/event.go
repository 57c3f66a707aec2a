package sse

import (
	"errors"
	"fmt"
	"strings"
)

// Event is one event of a stream.
type Event struct {
	Name string // the field event; "": clients take it for "message"
	ID   string // the field id, from which a client goes on after a cut; "": the event does not change it
	Data []byte // the field data: JSON in one line, or any other text
}

// ErrInvalidEvent means that an event cannot be sent: its name or id would end a line or, for an id, be ignored by clients.
var ErrInvalidEvent = errors.New("the event cannot be sent")

// heartbeat is the comment that shows that a stream lives.
const heartbeat = ": heartbeat\n\n"

// Bytes returns the bytes of an event, for one that follows a stream which [Serve] has ended.
func (e *Event) Bytes() ([]byte, error) { return e.appendTo(nil) }

// appendTo appends the bytes of an event. A line break in the data begins another data line, which clients join with LF: to JSON, which
// has line breaks only between its tokens, that changes nothing.
func (e *Event) appendTo(b []byte) ([]byte, error) {
	if strings.ContainsAny(e.Name, "\r\n") {
		return b, fmt.Errorf("sse: the name %.64q has a line break: %w", e.Name, ErrInvalidEvent)
	}
	if strings.ContainsAny(e.ID, "\r\n\x00") {
		return b, fmt.Errorf("sse: the id %.64q has a line break or the character 0: %w", e.ID, ErrInvalidEvent)
	}
	if e.Name != "" {
		b = append(append(append(b, "event: "...), e.Name...), '\n')
	}
	b = appendData(b, e.Data)
	if e.ID != "" {
		b = append(append(append(b, "id: "...), e.ID...), '\n')
	}
	return append(b, '\n'), nil
}

// appendData appends the data lines. Data without a byte still makes a line: clients drop an event that has none.
func appendData(b, data []byte) []byte {
	b = append(b, "data: "...)
	for i, c := range data {
		switch {
		case c == '\n' && i > 0 && data[i-1] == '\r': // belongs to the line break before it
		case c == '\n' || c == '\r':
			b = append(b, "\ndata: "...)
		default:
			b = append(b, c)
		}
	}
	return append(b, '\n')
}
