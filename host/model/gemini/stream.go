package gemini

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/agenthost/agenthost/host/model/internal/provider"
)

const (
	readAhead = 64 << 10 // how much of a stream is read at once, in bytes
	maxLoose  = 64 << 10 // how much is kept of a stream that is none, in bytes
)

// events reads a stream of server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html.
type events struct {
	body  *bufio.Reader
	ended bool // the last line ended with CR: an LF right behind it is a part of that
	line  []byte
	kind  string
	data  []byte
	some  bool   // there is data
	loose []byte // lines that are none of a stream of events
}

// readLine reads the next line, which ends with CR, LF, both, or at the end of the stream; io.EOF behind that.
func (e *events) readLine() error {
	e.line = e.line[:0]
	for {
		if _, err := e.body.Peek(1); err != nil {
			if errors.Is(err, io.EOF) && len(e.line) > 0 {
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
		if end < 0 {
			e.line = append(e.line, here...)
			_, _ = e.body.Discard(len(here))
			continue
		}
		e.line = append(e.line, here[:end]...)
		e.ended = here[end] == '\r'
		_, _ = e.body.Discard(end + 1)
		return nil
	}
}

// next returns the kind and the data of the next event, which are valid until the next call; io.EOF at the end. An event
// that the end cuts off is returned like others: it is up to its reader whether it is whole.
func (e *events) next() (kind string, data []byte, err error) {
	e.kind, e.data, e.some = "", nil, false
	for {
		err := e.readLine()
		switch {
		case err != nil && e.some && errors.Is(err, io.EOF):
			return e.kind, e.data, nil
		case err != nil:
			return "", nil, err
		case len(e.line) > 0:
			e.field(e.line)
		case e.some:
			return e.kind, e.data, nil
		default:
			e.kind = ""
		}
	}
}

// field takes a line that is not empty.
func (e *events) field(line []byte) {
	name, value, _ := bytes.Cut(bytes.TrimPrefix(line, []byte("\uFEFF")), []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "", "id", "retry":
	case "data":
		if e.some {
			e.data = append(e.data, '\n')
		}
		e.data, e.some = append(e.data, value...), true
	case "event":
		e.kind = string(value)
	default:
		e.loose = append(append(e.loose, line...), '\n')
		e.loose = e.loose[:min(len(e.loose), maxLoose)]
	}
}

// readStream reads a response that comes piece by piece.
func (a *answer) readStream(body io.Reader) error {
	e := events{body: bufio.NewReaderSize(body, readAhead)}
	for {
		kind, data, err := e.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		text := bytes.TrimSpace(data)
		if len(text) == 0 || string(text) == "[DONE]" { // as servers end that speak several languages
			continue
		}
		if kind == "error" {
			return provider.InStream(Provider, text)
		}
		d, err := readDocument(text)
		if err != nil {
			return err
		}
		if err := a.add(d); err != nil {
			return err
		}
	}
	if a.finishReason != "" || len(e.loose) == 0 {
		return nil
	}
	d, err := readDocument(bytes.Trim(bytes.TrimSpace(e.loose), "[]")) // an error, or no stream but all at once
	if err != nil || a.some {
		return err
	}
	return a.add(d)
}
