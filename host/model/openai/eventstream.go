package openai

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"strings"

	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// eventStream is the response to a request for a stream.
type eventStream struct {
	model   *Model
	body    io.Closer
	events  *provider.Events // nil: not a stream
	whole   []byte           // the body if it is not a stream: an error, a page, or a complete answer
	kind    string           // of the event
	data    []byte           // of the event
	hasDone bool             // the final event [DONE] has arrived
	err     error            // how the stream ended
}

// feed sends a request for a stream. The caller must close it.
func (m *Model) feed(ctx context.Context, path string, body object) (*eventStream, error) {
	resp, err := m.endpoint.Send(ctx, provider.Call{Path: path, Body: body, Stream: true}) //nolint:bodyclose // close does
	if err != nil {
		return nil, err
	}
	f := &eventStream{model: m, body: resp.Body}
	text := bufio.NewReader(resp.Body)
	streams, err := begins(text)
	if err == nil && !streams {
		f.whole, err = io.ReadAll(text)
		f.whole = provider.Valid(f.whole)
	}
	if err != nil {
		f.close()
		return nil, provider.Failed(ctx, m.provider(), err)
	}
	if streams {
		f.events = provider.NewEvents(text)
		f.events.Watch(resp.Body)
	}
	return f, nil
}

// begins reports whether a response looks like a stream. Its Content-Type is no guide: servers send streams without the type
// of a stream, and errors with it.
func begins(text *bufio.Reader) (streams bool, err error) {
	if mark, err := text.Peek(3); err == nil && string(mark) == "\uFEFF" {
		_, _ = text.Discard(len(mark))
	}
	for {
		c, err := text.ReadByte()
		switch {
		case errors.Is(err, io.EOF):
			return true, nil
		case err != nil:
			return false, err
		case strings.IndexByte(" \t\r\n", c) >= 0:
			continue
		}
		return strings.IndexByte("deir:", c) >= 0, text.UnreadByte() // data, event, id, retry, a comment
	}
}

// next reads the next event. It reads none after a cancellation, even if some have arrived, and none that the end cut off.
func (f *eventStream) next(ctx context.Context) bool {
	for ctx.Err() == nil {
		event, err := f.events.Next()
		if err != nil || event.Cut {
			f.err = err
			return false
		}
		f.kind, f.data = event.Kind, provider.Valid(bytes.TrimSpace(event.Data))
		if bytes.HasPrefix(f.data, []byte("[DONE]")) {
			f.hasDone = true
			return false
		}
		if len(f.data) > 0 {
			return true
		}
	}
	return false
}

// ended returns the error with which the stream ended; nil if it ended normally.
func (f *eventStream) ended(ctx context.Context) error {
	if errors.Is(f.err, io.EOF) {
		f.err = nil
	}
	return provider.Failed(ctx, f.model.provider(), cmp.Or(f.err, ctx.Err()))
}

func (f *eventStream) close() { _ = f.body.Close() } // it was read to the end, or the rest is not wanted
