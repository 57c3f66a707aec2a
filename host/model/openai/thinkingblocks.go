package openai

import (
	"encoding/json"
	"strings"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// thinkingBlocks holds reasoning in LiteLLM's format for Claude: https://docs.litellm.ai/docs/reasoning_content. A block is
// of the type "thinking", with a text under that key and a signature, or "redacted_thinking", with data. In a stream no piece
// says which block it belongs to: texts come first, then a signature ends the block. A block with hidden text has only a
// signature.
type thinkingBlocks struct{ all []*thinkingBlock }

type thinkingBlock struct {
	fields map[string]json.RawMessage
	text   []byte
	open   bool // more pieces may come
}

// The types of blocks, and their keys.
const (
	typeRedacted = "redacted_thinking"
	keySignature = "signature"
)

// add adds blocks, or pieces of one, and returns the new text.
func (t *thinkingBlocks) add(text json.RawMessage, streamed bool) (string, error) {
	var entries list
	if err := json.Unmarshal(text, &entries); err != nil {
		return "", err
	}
	var said strings.Builder
	for _, entry := range entries {
		next := thinkingBlock{open: streamed}
		if json.Unmarshal(entry, &next.fields) != nil || len(next.fields) == 0 {
			continue
		}
		var piece, kind string
		_ = json.Unmarshal(next.fields[keyThinking], &piece) // null in a piece with a signature
		_ = json.Unmarshal(next.fields["type"], &kind)
		said.WriteString(piece)
		next.text = []byte(piece)
		if kind == typeRedacted || isSet(next.fields[keySignature]) {
			next.open = false
		}
		if last := len(t.all) - 1; last >= 0 && t.all[last].open && kind != typeRedacted {
			t.all[last].join(&next)
			continue
		}
		t.close()
		t.all = append(t.all, &next)
	}
	return said.String(), nil
}

// close ends the last block.
func (t *thinkingBlocks) close() {
	if last := len(t.all) - 1; last >= 0 {
		t.all[last].open = false
	}
}

func (b *thinkingBlock) join(next *thinkingBlock) {
	b.text, b.open = append(b.text, next.text...), next.open
	for key, value := range next.fields {
		if isSet(value) {
			b.fields[key] = value
		}
	}
}

// value returns the list of blocks.
func (t *thinkingBlocks) value() (wire.Raw, error) {
	all := make([]object, len(t.all))
	for i, block := range t.all {
		all[i] = make(object, len(block.fields))
		for key, value := range block.fields {
			all[i][key] = value
		}
		if _, ok := block.fields[keyThinking]; ok {
			all[i][keyThinking] = string(block.text)
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		return nil, err
	}
	return wire.FromJSON(text, wire.Limits{MaxBytes: provider.MaxResponse})
}
