package anthropic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// read sends a request and reads the stream of its answer.
func (m *Model) read(ctx context.Context, call provider.Call, say func(model.Chunk) error) (*answer, error) {
	resp, err := m.endpoint.Send(ctx, call)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }() // it was read to the end, or the rest is not wanted
	events := provider.NewEvents(resp.Body)
	var d draft
	for {
		event, err := events.Next()
		switch {
		case ctx.Err() != nil:
			return nil, provider.Failed(ctx, Provider, ctx.Err())
		case event.Cut, errors.Is(err, io.EOF):
			return nil, provider.Broken(Provider, "the stream ended before the answer was complete")
		case err != nil:
			return nil, provider.Failed(ctx, Provider, err)
		}
		done, chunk, err := d.add(event.Kind, provider.Valid(event.Data))
		if err != nil {
			return nil, err
		}
		if done {
			return d.answer()
		}
		if err := say(chunk); err != nil {
			return nil, err
		}
	}
}

// These are the events of a stream. The API may add others, and sends "ping" in between.
const (
	eventStart      = "message_start"
	eventBlockStart = "content_block_start"
	eventBlockDelta = "content_block_delta"
	eventBlockStop  = "content_block_stop"
	eventEnding     = "message_delta"
	eventStop       = "message_stop"
	eventError      = "error"
)

// event is an event of a stream.
type event struct {
	ContentBlock part            `json:"content_block"`
	Delta        json.RawMessage `json:"delta"`
	Index        int64           `json:"index"`
	Message      *answer         `json:"message"`
	Usage        usage           `json:"usage"`
}

// add adds an event to the draft, and returns the new text.
func (d *draft) add(kind string, data []byte) (done bool, chunk model.Chunk, err error) {
	if len(data) == 0 {
		return false, chunk, nil
	}
	if kind == "" || kind == "message" { // some servers name it only in the data
		var told struct {
			Type string `json:"type"`
		}
		if err := json.Unmarshal(data, &told); err != nil {
			return false, chunk, malformed("an event of the stream", err)
		}
		kind = told.Type
	}
	switch kind {
	case eventError:
		if !json.Valid(data) {
			return false, chunk, provider.Broken(Provider, "the stream ended with an error that cannot be read")
		}
		return false, chunk, provider.InStream(Provider, data)
	case eventStart, eventBlockStart, eventBlockDelta, eventBlockStop, eventEnding, eventStop:
	default:
		return false, chunk, nil
	}
	var e event
	if err := json.Unmarshal(data, &e); err != nil {
		return false, chunk, malformed("the event "+kind, err)
	}
	if chunk, err = d.take(kind, &e); err != nil {
		return false, chunk, malformed("the event "+kind, err)
	}
	return kind == eventStop, chunk, nil
}

// take adds an event of a known kind.
func (d *draft) take(kind string, e *event) (chunk model.Chunk, err error) {
	if begun := d.head != nil; begun == (kind == eventStart) {
		return chunk, fmt.Errorf("it is not its turn: the answer has begun: %t", begun)
	}
	switch kind {
	case eventStart:
		return d.start(e.Message)
	case eventBlockStart:
		return d.open(e.Index, e.ContentBlock)
	case eventBlockDelta:
		var delta part
		if err := json.Unmarshal(e.Delta, &delta); err != nil {
			return chunk, err
		}
		return d.grow(e.Index, delta)
	case eventEnding:
		if len(e.Delta) > 0 {
			if err := json.Unmarshal(e.Delta, &d.head.answerEnd); err != nil {
				return chunk, err
			}
		}
		if e.Usage != nil {
			d.head.Usage = d.head.Usage.with(e.Usage)
		}
	}
	return chunk, nil
}
