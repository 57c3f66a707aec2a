package openai

import (
	"context"
	"encoding/json"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// streamCompletion answers a request with the Chat Completions API, and passes on the pieces of the answer as they arrive.
func (m *Model) streamCompletion(ctx context.Context, req *model.Request, say func(model.Chunk) error) (*model.Response, error) {
	body, err := m.chatBody(req, true)
	if err != nil {
		return nil, err
	}
	f, err := m.feed(ctx, chatPath, body)
	if err != nil {
		return nil, err
	}
	defer f.close()
	if f.events == nil {
		resp, err := m.completed(f.whole, req)
		if err != nil {
			return nil, err
		}
		return resp, say(provider.Piece(resp))
	}
	d := draft{model: m}
	for f.next(ctx) {
		piece, err := d.event(f.kind, f.data)
		if err != nil {
			return nil, err
		}
		if err := say(piece); err != nil {
			return nil, err
		}
	}
	if err := f.ended(ctx); err != nil {
		return nil, err
	}
	if !d.whole(f.hasDone) {
		return nil, provider.Broken(m.provider(), "the stream ended before the answer was complete")
	}
	return d.response(req)
}

// whole reports whether the answer is complete: the server gave a stop reason or, like some that never do, at least sent
// [DONE].
func (d *draft) whole(hasDone bool) bool { return d.begun && (d.end.stop != "" || hasDone) }

// event adds an event of the stream, and returns what is new.
func (d *draft) event(kind string, data []byte) (piece model.Chunk, err error) {
	var c completion
	err = json.Unmarshal(data, &c)
	switch {
	case kind == "error", err == nil && c.failed():
		return piece, provider.InStream(d.model.provider(), data)
	case err != nil:
		return piece, provider.Broken(d.model.provider(), "an event of the stream cannot be read: "+err.Error())
	default:
		return d.add(&c, true)
	}
}
