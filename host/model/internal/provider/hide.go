package provider

import (
	"errors"
	"iter"
	"maps"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/internal/mask"
)

// minSecret is the length in bytes below which a key is not hidden: a local server gets keys such as "none".
const minSecret = 8

// The transport hides the credentials of requests in the bytes of responses. What follows hides them in what was read from these bytes,
// where a secret can appear that was escaped there, or came in two pieces of a stream.

// Hide returns the result of a call without the credentials that it was sent with; a nil response stays nil. A nil endpoint sends none. An
// error gets the name of the endpoint's provider: the packages of APIs do not know the names of platforms.
func (e *Endpoint) Hide(resp *model.Response, err error) (*model.Response, error) {
	if e == nil {
		return resp, err
	}
	if err != nil {
		return nil, e.hideError(err)
	}
	if hidden := e.transport.secrets.mask(); hidden != nil && resp != nil {
		return hideResponse(hidden, resp), nil
	}
	return resp, nil
}

// hideStream is like [Endpoint.Hide] for a stream. The endpoint is known once the stream has begun.
func hideStream(endpoint func() *Endpoint, chunks iter.Seq2[model.Chunk, error]) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		var h *hiddenStream
		for c, err := range chunks {
			e := endpoint()
			var hidden *mask.Mask
			if e != nil {
				hidden = e.transport.secrets.mask()
			}
			switch {
			case e != nil && err != nil:
				yield(model.Chunk{}, e.hideError(err))
				return
			case h == nil && hidden == nil:
				if !yield(c, err) {
					return
				}
				continue
			case h == nil:
				h = &hiddenStream{mask: hidden, text: hidden.Stream(), reasoning: hidden.Stream(), calls: map[int]*mask.Stream{}}
			}
			for _, shown := range h.add(c) {
				if !yield(shown, nil) {
					return
				}
			}
		}
	}
}

// hiddenStream holds back the end of the text so far while it may be the beginning of a secret.
type hiddenStream struct {
	mask            *mask.Mask
	text, reasoning *mask.Stream
	calls           map[int]*mask.Stream // of the arguments, by the places of the calls
}

// add returns the chunks that can be passed on.
func (h *hiddenStream) add(c model.Chunk) (shown []model.Chunk) {
	piece := model.Chunk{Reasoning: h.reasoning.Add(c.Reasoning)}
	if c.Text != "" || c.Response != nil {
		piece.Reasoning += h.reasoning.End()
	}
	piece.Text = h.text.Add(c.Text)
	if c.Response != nil {
		piece.Text += h.text.End()
	}
	piece.Calls = h.addCalls(c.Calls, c.Response != nil)
	if piece.Says() {
		shown = append(shown, piece)
	}
	if c.Response != nil {
		shown = append(shown, model.Chunk{Response: hideResponse(h.mask, c.Response)})
	}
	return shown
}

// addCalls returns the pieces of calls that can be passed on; at the end, with what was held back.
func (h *hiddenStream) addCalls(pieces []model.CallPiece, end bool) (shown []model.CallPiece) {
	for _, piece := range pieces {
		args := h.calls[piece.Index]
		if args == nil {
			args = h.mask.Stream()
			h.calls[piece.Index] = args
		}
		piece.ID, piece.Name, piece.Args = h.mask.Text(piece.ID), h.mask.Text(piece.Name), args.Add(piece.Args)
		if piece.Says() {
			shown = append(shown, piece)
		}
	}
	if !end {
		return shown
	}
	for _, index := range slices.Sorted(maps.Keys(h.calls)) {
		if rest := h.calls[index].End(); rest != "" {
			shown = append(shown, model.CallPiece{Index: index, Args: rest})
		}
	}
	return shown
}

// hideError keeps the kind of an error.
func (e *Endpoint) hideError(err error) error {
	said, ok := errors.AsType[*model.Error](err)
	if !ok {
		return err // the cause of a cancellation, or an error of this program
	}
	hidden := e.transport.secrets.mask().Error(said.Err)
	if hidden == said.Err && said.Provider == e.provider { //nolint:errorlint // whether it is the same one
		return err
	}
	out := *said
	out.Err, out.Provider = hidden, e.provider
	return &out
}

// hideResponse changes nothing in a response without secrets.
func hideResponse(m *mask.Mask, resp *model.Response) *model.Response {
	out := *resp
	out.Model, out.StopReason = m.Text(resp.Model), m.Text(resp.StopReason)
	out.Structured = hideRaw(m, resp.Structured)
	out.Messages = slices.Clone(resp.Messages)
	for i := range out.Messages {
		encoded, err := out.Messages[i].MarshalMsg(nil)
		if err != nil || !m.In(string(encoded)) {
			continue
		}
		var hidden abi.Message
		if _, err := hidden.UnmarshalMsg(hideRaw(m, encoded)); err != nil { // it has nothing left to show
			hidden = abi.Message{Role: resp.Messages[i].Role, ID: m.Text(resp.Messages[i].ID)}
		}
		out.Messages[i] = hidden
	}
	return &out
}

// hideRaw hides the secrets in all texts of a value.
func hideRaw(m *mask.Mask, raw wire.Raw) wire.Raw {
	if raw.IsZero() || !m.In(string(raw)) {
		return raw
	}
	value, err := raw.Value()
	if err == nil {
		raw, err = wire.Of(hideValue(m, value))
	}
	if err != nil {
		return wire.String(mask.Hidden)
	}
	return raw
}

func hideValue(m *mask.Mask, value any) any {
	switch v := value.(type) {
	case string:
		return m.Text(v)
	case []byte:
		return m.Bytes(v)
	case []any:
		for i := range v {
			v[i] = hideValue(m, v[i])
		}
		return v
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, inner := range v {
			out[m.Text(key)] = hideValue(m, inner)
		}
		return out
	default:
		return value
	}
}
