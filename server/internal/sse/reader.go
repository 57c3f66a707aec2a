package sse

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// ErrTooLarge means that an event of a stream has more bytes than its reader takes.
var ErrTooLarge = errors.New("the event is too large")

// DefaultMaxEvent is the size of the largest event that a [Reader] takes by default, in bytes.
const DefaultMaxEvent = 16 << 20

// Reader reads the events of a stream as browsers do. Lines may end with LF, CR or both.
type Reader struct {
	body   *bufio.Reader
	most   int
	lastID string
	begun  bool // the first line was read
	skipLF bool // the last line ended with CR
	line   []byte
}

// NewReader returns a reader of a stream whose events have at most the given number of bytes; 0: [DefaultMaxEvent].
func NewReader(body io.Reader, maxEvent int) *Reader {
	if maxEvent <= 0 {
		maxEvent = DefaultMaxEvent
	}
	return &Reader{body: bufio.NewReader(body), most: maxEvent}
}

// LastID returns the id of the last event that had one: what a client sends as Last-Event-ID when it connects again.
func (r *Reader) LastID() string { return r.lastID }

// Next returns the next event that has data. It skips comments, and drops an event that the end of the stream cuts. The error is [io.EOF] at
// the end of the stream, and wraps [ErrTooLarge] for an event that is too large.
func (r *Reader) Next() (Event, error) {
	var e Event
	some, size := false, 0
	for {
		if err := r.readLine(r.most - size); err != nil {
			return Event{}, err
		}
		if len(r.line) == 0 {
			if e.ID != "" {
				r.lastID = e.ID
			}
			if some {
				return e, nil
			}
			e, size = Event{}, 0
			continue
		}
		name, value, _ := bytes.Cut(r.line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "data":
			if some {
				e.Data = append(e.Data, '\n')
			}
			e.Data, some = append(e.Data, value...), true
			size += len(value) + 1
		case "event":
			e.Name = string(value)
		case "id":
			if !bytes.Contains(value, []byte{0}) {
				e.ID = string(value)
			}
		}
	}
}

// readLine reads the next line into r.line. A line that the stream's end cuts is lost, as its event would be.
func (r *Reader) readLine(most int) error {
	r.line = r.line[:0]
	for {
		c, err := r.body.ReadByte()
		if err != nil {
			return err
		}
		if skip := r.skipLF && c == '\n'; skip {
			r.skipLF = false
			continue
		}
		r.skipLF = c == '\r'
		if c == '\n' || c == '\r' {
			if !r.begun {
				r.line = bytes.TrimPrefix(r.line, []byte("\uFEFF"))
			}
			r.begun = true
			return nil
		}
		if len(r.line) >= most {
			return fmt.Errorf("sse: an event has more than %d bytes: %w", r.most, ErrTooLarge)
		}
		r.line = append(r.line, c)
	}
}
