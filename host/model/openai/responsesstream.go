package openai

import (
	"context"
	"encoding/json"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// streamResponse answers a request with the Responses API, and passes on the pieces of the answer as they arrive. The last
// event of the stream has the whole response.
func (m *Model) streamResponse(ctx context.Context, req *model.Request, say func(model.Chunk) error) (*model.Response, error) {
	return m.continued(func(history *past) (*model.Response, error) { return m.streamAnswer(ctx, req, history, say) })
}

func (m *Model) streamAnswer(ctx context.Context, req *model.Request, history *past, say func(model.Chunk) error) (*model.Response, error) {
	body, err := m.responsesBody(req, history, true)
	if err != nil {
		return nil, err
	}
	f, err := m.feed(ctx, responsesPath, body)
	if err != nil {
		return nil, err
	}
	defer f.close()
	if f.events == nil {
		resp, err := m.answered(f.whole, nil, req)
		if err != nil {
			return nil, err
		}
		return resp, say(provider.Piece(resp))
	}
	var items list
	begun := map[int64]int{}
	for f.next(ctx) {
		event, err := m.event(f.kind, f.data)
		if err != nil {
			return nil, err
		}
		if event.last() {
			return m.answered(event.Response, items, req)
		}
		if event.Type == "response.output_item.done" && len(items) < maxList {
			items = append(items, event.Item)
		}
		if err := say(event.piece(begun)); err != nil {
			return nil, err
		}
	}
	if err := f.ended(ctx); err != nil {
		return nil, err
	}
	return nil, provider.Broken(m.provider(), "the stream ended before the answer was complete")
}

// responseEvent is an event of a stream.
type responseEvent struct {
	Type         string          `json:"type"`
	Delta        json.RawMessage `json:"delta"`
	Item         json.RawMessage `json:"item"`
	Response     json.RawMessage `json:"response"`
	OutputIndex  int64           `json:"output_index"`
	SummaryIndex int             `json:"summary_index"`
	Error        json.RawMessage `json:"error"`
}

// event reads an event.
func (m *Model) event(kind string, data []byte) (*responseEvent, error) {
	var e responseEvent
	err := json.Unmarshal(data, &e)
	if e.Type == "" { // some servers name it in only one of the two places
		e.Type = kind
	}
	switch {
	case e.Type == "error", kind == "error", isSet(e.Error):
		return nil, provider.InStream(m.provider(), data)
	case err != nil:
		return nil, provider.Broken(m.provider(), "an event of the stream cannot be read: "+err.Error())
	default:
		return &e, nil
	}
}

// last reports whether the event has the whole response.
func (e *responseEvent) last() bool {
	switch e.Type {
	case "response.completed", "response.incomplete", "response.failed", "response.cancelled":
		return true
	default:
		return false
	}
}

// piece returns what is new. calls has the places of the calls that have begun, by the indexes of their items.
func (e *responseEvent) piece(calls map[int64]int) (piece model.Chunk) {
	var text string
	if len(e.Delta) > 0 && json.Unmarshal(e.Delta, &text) != nil {
		return piece // the delta of this kind is not a text
	}
	switch e.Type {
	case "response.output_text.delta", "response.refusal.delta":
		piece.Text = text
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		piece.Reasoning = text
	case "response.reasoning_summary_part.added":
		if e.SummaryIndex > 0 {
			piece.Reasoning = "\n\n"
		}
	case "response.output_item.added":
		if begun, ok := e.call(); ok && len(calls) < maxList {
			begun.Index = len(calls)
			calls[e.OutputIndex] = begun.Index
			piece.Calls = []model.CallPiece{begun}
		}
	case "response.function_call_arguments.delta", "response.custom_tool_call_input.delta":
		if place, ok := calls[e.OutputIndex]; ok && text != "" {
			piece.Calls = []model.CallPiece{{Index: place, Args: text}}
		}
	}
	return piece
}

// call returns the first piece of a call, if the item of the event is one.
func (e *responseEvent) call() (begun model.CallPiece, ok bool) {
	var i item
	if json.Unmarshal(e.Item, &i) != nil || i.Type != "function_call" && i.Type != "custom_tool_call" {
		return begun, false
	}
	return model.CallPiece{ID: string(i.CallID), Name: i.Name}, true
}
