package anthropic

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/agenthost/agenthost/host/model"
)

// draft is an incomplete answer.
type draft struct {
	head   *answer // nil: it has not begun
	blocks []*draftBlock
	at     map[int64]*draftBlock // by the API's index
	calls  int                   // that have begun
}

// draftBlock is a block that arrives in pieces.
type draftBlock struct {
	kind      string
	part      part
	grown     map[string][]byte // texts by key, JSON-escaped: a character may arrive in two halves
	args      []byte            // of a call, likewise; nil: none arrived
	citations []json.RawMessage
	call      int // place of a call among the calls of the answer
}

func (d *draft) start(head *answer) (chunk model.Chunk, err error) {
	if head == nil {
		return chunk, errors.New("the message is missing")
	}
	d.head, d.at = head, map[int64]*draftBlock{}
	for i, p := range head.Content {
		piece, err := d.open(int64(i), p)
		if err != nil {
			return chunk, err
		}
		chunk.Text, chunk.Reasoning = chunk.Text+piece.Text, chunk.Reasoning+piece.Reasoning
		chunk.Calls = append(chunk.Calls, piece.Calls...)
	}
	return chunk, nil
}

// open begins a block.
func (d *draft) open(index int64, p part) (chunk model.Chunk, err error) {
	if p == nil {
		return chunk, errors.New("the block is missing")
	}
	if d.at[index] != nil {
		return chunk, fmt.Errorf("the block %d already exists", index)
	}
	if len(d.blocks) == maxParts {
		return chunk, errParts
	}
	b := &draftBlock{part: p, grown: map[string][]byte{}}
	if b.kind, err = p.text("type"); err != nil {
		return chunk, err
	}
	d.at[index], d.blocks = b, append(d.blocks, b)
	switch b.kind {
	case kindText:
		chunk.Text, err = p.text("text")
	case kindThinking:
		chunk.Reasoning, err = p.text("thinking")
	case kindToolUse:
		chunk.Calls, err = b.beginCall(d.calls)
		d.calls++
	}
	return chunk, err
}

// beginCall returns the first piece of a call, the call number at of the answer.
func (b *draftBlock) beginCall(at int) (pieces []model.CallPiece, err error) {
	b.call = at
	piece := model.CallPiece{Index: at}
	if piece.ID, err = b.part.id(); err != nil {
		return nil, err
	}
	if piece.Name, err = b.part.text("name"); err != nil {
		return nil, err
	}
	return []model.CallPiece{piece}, nil
}

// grows maps the kinds of deltas to the keys of the texts that they extend. Any other kind extends all its keys.
var grows = map[string][]string{"text_delta": {"text"}, "thinking_delta": {"thinking"}, "signature_delta": {"signature"}}

// grow adds a delta to a block.
func (d *draft) grow(index int64, delta part) (chunk model.Chunk, err error) {
	b := d.at[index]
	if b == nil {
		return chunk, fmt.Errorf("the block %d does not exist", index)
	}
	kind, err := delta.text("type")
	if err != nil {
		return chunk, err
	}
	keys, known := grows[kind]
	switch {
	case kind == "input_json_delta":
		args, err := delta.text("partial_json")
		b.args = append(b.args, inner(delta["partial_json"])...)
		if b.kind == kindToolUse && args != "" {
			chunk.Calls = []model.CallPiece{{Index: b.call, Args: args}}
		}
		return chunk, err
	case kind == "citations_delta":
		if raw, ok := delta["citation"]; ok {
			b.citations = append(b.citations, raw)
		}
		return chunk, nil
	case !known:
		keys = slices.Sorted(maps.Keys(delta))
	}
	for _, key := range keys {
		if key != "type" {
			b.add(key, delta[key])
		}
	}
	switch {
	case kind == "text_delta" && b.kind == kindText:
		chunk.Text, err = delta.text("text")
	case kind == "thinking_delta" && b.kind == kindThinking:
		chunk.Reasoning, err = delta.text("thinking")
	}
	return chunk, err
}

// add appends a text to the one under a key; any other value replaces what is there.
func (b *draftBlock) add(key string, value json.RawMessage) {
	switch _, growing := b.grown[key]; {
	case len(value) == 0:
	case value[0] != '"':
		b.part[key] = value
		delete(b.grown, key)
	case growing:
		b.grown[key] = append(b.grown[key], inner(value)...)
	default:
		b.grown[key] = append(slices.Clone(inner(b.part[key])), inner(value)...)
	}
}

// inner returns the text between the quotes of a JSON string; nil for any other value.
func inner(value json.RawMessage) []byte {
	if len(value) < 2 || value[0] != '"' {
		return nil
	}
	return value[1 : len(value)-1]
}

// quoted returns the JSON string with the given inner text.
func quoted(inner []byte) json.RawMessage { return slices.Concat([]byte{'"'}, inner, []byte{'"'}) }

// answer returns the whole answer.
func (d *draft) answer() (*answer, error) {
	d.head.Content = make(parts, len(d.blocks))
	for i, b := range d.blocks {
		p, err := b.whole()
		if err != nil {
			return nil, malformed(fmt.Sprintf("block %d of the stream", i), err)
		}
		d.head.Content[i] = p
	}
	return d.head, nil
}

// whole returns the block as it would be in an answer that is not streamed.
func (b *draftBlock) whole() (part, error) {
	for key, text := range b.grown {
		b.part[key] = quoted(text)
	}
	if len(b.citations) > 0 {
		var all []json.RawMessage
		if raw, ok := b.part["citations"]; ok {
			if err := json.Unmarshal(raw, &all); err != nil {
				return nil, fmt.Errorf(`"citations": %w`, err)
			}
		}
		list, err := json.Marshal(append(all, b.citations...))
		if err != nil {
			return nil, err
		}
		b.part["citations"] = list
	}
	if b.args == nil {
		return b.part, nil
	}
	b.part[argsKey] = quoted(b.args)
	if b.kind != kindToolUse {
		if args, err := b.part.text(argsKey); err == nil && json.Valid([]byte(args)) {
			b.part["input"] = json.RawMessage(args)
		}
	}
	return b.part, nil
}
