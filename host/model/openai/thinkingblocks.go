package openai

import (
	"encoding/json"
	"strings"
)

// thinkingBlocks holds reasoning in LiteLLM's format for Claude: https://docs.litellm.ai/docs/reasoning_content. A block is
// of the type "thinking", with a text under that key and a signature, or "redacted_thinking", with data. In a stream no piece
// says which block it belongs to: texts come first, then a signature ends the block. A block with hidden text has only a
// signature.
type thinkingBlocks struct {
	entries []*reasoningEntry
	open    bool // more pieces of the last one may come
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
		next := reasoningEntry{texts: map[string][]byte{}}
		if json.Unmarshal(entry, &next.fields) != nil || len(next.fields) == 0 {
			continue
		}
		var piece, kind string
		_ = json.Unmarshal(next.fields[keyThinking], &piece) // null in a piece with a signature
		_ = json.Unmarshal(next.fields["type"], &kind)
		said.WriteString(piece)
		goesOn := t.open && kind != typeRedacted
		if raw, ok := next.fields[keyThinking]; ok && (isSet(raw) || !goesOn) {
			next.texts[keyThinking] = []byte(piece)
		}
		t.open = streamed && kind != typeRedacted && !isSet(next.fields[keySignature])
		if goesOn {
			t.entries[len(t.entries)-1].join(&next)
		} else {
			t.entries = append(t.entries, &next)
		}
	}
	return said.String(), nil
}
