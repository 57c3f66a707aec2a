package openai

import (
	"encoding/json"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// KeyReasoning is a key of a reasoning block of Chat Completions. Its value is the key in the server's message that the
// reasoning came from and is sent back under: "reasoning_content" (DeepSeek, vLLM, llama.cpp), "reasoning" (OpenRouter,
// Ollama, vLLM), "reasoning_details" (OpenRouter), "thinking_blocks" (LiteLLM for Claude), or "thinking" for a part of the
// content (Mistral). The values of "reasoning_details" and "thinking_blocks" are kept in the block under these keys.
const KeyReasoning = "openai_key"

const (
	keyReasoningContent = "reasoning_content"
	keyReasoning        = "reasoning"
	keyReasoningDetails = "reasoning_details"
	keyThinkingBlocks   = "thinking_blocks"
	keyThinking         = "thinking"
)

// thoughts is the reasoning in an answer of Chat Completions, complete or so far.
type thoughts struct {
	key     string // the key of the text; if several have the same text, the first
	text    []byte
	details reasoningDetails
	blocks  thinkingBlocks
}

// add adds the reasoning of a message, or of a piece of one, and returns the new text.
func (t *thoughts) add(m *message, streamed bool) (said string, err error) {
	var out strings.Builder
	out.WriteString(t.field(keyReasoningContent, m.ReasoningContent))
	out.WriteString(t.field(keyReasoning, m.Reasoning))
	for _, list := range []struct {
		key   string
		value json.RawMessage
		add   func(text json.RawMessage, streamed bool) (string, error)
	}{{keyReasoningDetails, m.ReasoningDetails, t.details.add}, {keyThinkingBlocks, m.ThinkingBlocks, t.blocks.add}} {
		if len(list.value) == 0 || list.value[0] != '[' {
			continue
		}
		text, err := list.add(list.value, streamed)
		if err != nil {
			return "", err
		}
		out.WriteString(t.say(list.key, text))
	}
	return out.String(), nil
}

// field adds the text of a field, which may hold something else, and returns it.
func (t *thoughts) field(key string, value json.RawMessage) string {
	var text *string
	if len(value) == 0 || json.Unmarshal(value, &text) != nil || text == nil {
		return ""
	}
	return t.say(key, *text)
}

// say adds a text and returns it, unless the text is already taken from another key.
func (t *thoughts) say(key, text string) string {
	if t.key == "" || len(t.text) == 0 && text != "" {
		t.key = key
	}
	if t.key != key {
		return ""
	}
	t.text = append(t.text, text...)
	return text
}

// block returns the reasoning block; false if there is none. A block without text is kept if there are calls: DeepSeek
// requires the key back that it sent with them (https://api-docs.deepseek.com/guides/thinking_mode).
func (t *thoughts) block(calls bool) (block abi.Block, ok bool, err error) {
	block = abi.ReasoningBlock(string(t.text), "")
	for _, list := range []struct {
		key     string
		entries []*reasoningEntry
	}{{keyReasoningDetails, t.details.entries}, {keyThinkingBlocks, t.blocks.entries}} {
		if len(list.entries) == 0 {
			continue
		}
		value, err := entryList(list.entries)
		if err != nil {
			return block, false, err
		}
		if !ok {
			block = provider.With(block, KeyReasoning, wire.String(list.key))
		}
		block, ok = provider.With(block, list.key, value), true
	}
	if ok {
		return block, true, nil
	}
	ok = len(t.text) > 0 || calls && (t.key == keyReasoningContent || t.key == keyReasoning)
	return provider.With(block, KeyReasoning, wire.String(t.key)), ok, nil
}

// sendBack adds a reasoning block to a message unchanged. Servers that need it want it in all turns, not only the current one:
// DeepSeek refuses a turn with calls without it, and MiniMax loses the thread.
func sendBack(block abi.Block, message object) {
	switch key := block.String(KeyReasoning); key {
	case keyReasoningContent, keyReasoning:
		message[key] = block.Text()
	case keyReasoningDetails, keyThinkingBlocks:
		for _, key := range []string{keyReasoningDetails, keyThinkingBlocks} {
			if value := block.Fields().Get(key); value.IsArray() {
				message[key] = value
			}
		}
	}
}

// reasoningDetails holds reasoning in OpenRouter's format: https://openrouter.ai/docs/use-cases/reasoning-tokens. In a stream,
// pieces of one text share a type and an index; the signature comes with the last piece.
type reasoningDetails struct {
	entries []*reasoningEntry
	places  map[string]*reasoningEntry // the last detail for each type and index
}

// add adds details, and returns the new text.
func (r *reasoningDetails) add(text json.RawMessage, streamed bool) (string, error) {
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
		for _, key := range []string{"text", "summary"} {
			var piece string
			if raw, ok := next.fields[key]; ok && json.Unmarshal(raw, &piece) == nil {
				said.WriteString(piece)
				next.texts[key] = []byte(piece)
			}
		}
		place := string(next.fields["type"]) + string(next.fields["index"])
		if last := r.places[place]; streamed && last != nil && goesOn(last, &next) {
			last.join(&next)
			continue
		}
		if r.places == nil {
			r.places = map[string]*reasoningEntry{}
		}
		r.places[place] = &next
		r.entries = append(r.entries, &next)
	}
	return said.String(), nil
}

// goesOn reports whether a detail is the next piece of another one. Encrypted details always arrive whole.
func goesOn(d, next *reasoningEntry) bool {
	id, other := d.fields["id"], next.fields["id"]
	same := !isSet(id) || !isSet(other) || string(id) == string(other)
	return same && !isSet(d.fields["data"]) && !isSet(next.fields["data"])
}
