package openai

import (
	"encoding/json"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// KeyReasoning is the key of a reasoning block of Chat Completions that says under which key of the server's message it
// came, and is sent back: "reasoning_content" (DeepSeek, vLLM, llama.cpp), "reasoning" (OpenRouter, Ollama, vLLM),
// "reasoning_details" (OpenRouter), or "thinking" of a part of the content (Mistral). What came under "reasoning_details"
// stands in the block under that key.
const KeyReasoning = "openai_key"

const (
	keyReasoningContent = "reasoning_content"
	keyReasoning        = "reasoning"
	keyReasoningDetails = "reasoning_details"
	keyThinking         = "thinking"
)

// thoughts are what is told of thinking in an answer of Chat Completions, whole or so far.
type thoughts struct {
	key     string // under which the text comes: of several that say the same, the first
	text    []byte
	details reasoningDetails
}

// add adds what a message tells, or a piece of one, and returns the text that is new.
func (t *thoughts) add(m *message, streamed bool) (said string, err error) {
	said = t.field(keyReasoningContent, m.ReasoningContent) + t.field(keyReasoning, m.Reasoning)
	if len(m.ReasoningDetails) == 0 || m.ReasoningDetails[0] != '[' {
		return said, nil
	}
	text, err := t.details.add(m.ReasoningDetails, streamed)
	if err != nil {
		return "", err
	}
	return said + t.say(keyReasoningDetails, text), nil
}

// field adds the text of a field, which may be something else, and returns it.
func (t *thoughts) field(key string, value json.RawMessage) string {
	var text *string
	if len(value) == 0 || json.Unmarshal(value, &text) != nil || text == nil {
		return ""
	}
	return t.say(key, *text)
}

// say adds a text, and returns it unless the text comes under another key.
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

// block is the block of the thoughts; false if there are none. One without a text is kept beside calls: DeepSeek demands the
// key back that it gave with them (https://api-docs.deepseek.com/guides/thinking_mode).
func (t *thoughts) block(calls bool) (block abi.Block, ok bool, err error) {
	block = abi.ReasoningBlock(string(t.text), "")
	if len(t.details.entries) > 0 {
		value, err := t.details.value()
		if err != nil {
			return block, false, err
		}
		block = provider.With(block, KeyReasoning, wire.String(keyReasoningDetails))
		return provider.With(block, keyReasoningDetails, value), true, nil
	}
	ok = len(t.text) > 0 || calls && (t.key == keyReasoningContent || t.key == keyReasoning)
	return provider.With(block, KeyReasoning, wire.String(t.key)), ok, nil
}

// sendBack adds a reasoning block to a message, as it came. Servers that want it do so in all turns, not only in the one that
// goes on: DeepSeek refuses a turn with calls without, and MiniMax loses the thread.
func sendBack(block abi.Block, message object) {
	switch key := block.String(KeyReasoning); key {
	case keyReasoningContent, keyReasoning:
		message[key] = block.Text()
	case keyReasoningDetails:
		if value := block.Fields().Get(key); value.IsArray() {
			message[key] = value
		}
	}
}

// reasoningDetails are details as OpenRouter tells them: https://openrouter.ai/docs/use-cases/reasoning-tokens. In a stream
// the text of one comes in pieces with the same type and index, the signature with the last of them.
type reasoningDetails struct {
	entries []*reasoningDetail
	places  map[string]*reasoningDetail // the last of a type and an index
}

type reasoningDetail struct {
	fields map[string]json.RawMessage
	texts  map[string][]byte // of those fields that come in pieces
}

// add adds details, and returns the text that is new.
func (r *reasoningDetails) add(text json.RawMessage, streamed bool) (string, error) {
	var entries list
	if err := json.Unmarshal(text, &entries); err != nil {
		return "", err
	}
	var said strings.Builder
	for _, entry := range entries {
		next := reasoningDetail{texts: map[string][]byte{}}
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
		if last := r.places[place]; streamed && last != nil && last.goesOn(&next) {
			last.join(&next)
			continue
		}
		if r.places == nil {
			r.places = map[string]*reasoningDetail{}
		}
		r.places[place] = &next
		r.entries = append(r.entries, &next)
	}
	return said.String(), nil
}

// goesOn reports whether a detail is the next piece of this one. What is encrypted comes at once.
func (d *reasoningDetail) goesOn(next *reasoningDetail) bool {
	id, other := d.fields["id"], next.fields["id"]
	same := !isSet(id) || !isSet(other) || string(id) == string(other)
	return same && !isSet(d.fields["data"]) && !isSet(next.fields["data"])
}

func (d *reasoningDetail) join(next *reasoningDetail) {
	for key, value := range next.fields {
		if _, ok := next.texts[key]; ok {
			d.texts[key] = append(d.texts[key], next.texts[key]...)
		} else if isSet(value) {
			d.fields[key] = value
		}
	}
}

// value is the list of the details.
func (r *reasoningDetails) value() (wire.Raw, error) {
	all := make([]object, len(r.entries))
	for i, entry := range r.entries {
		all[i] = make(object, len(entry.fields))
		for key, value := range entry.fields {
			all[i][key] = value
		}
		for key, text := range entry.texts {
			all[i][key] = string(text)
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		return nil, err
	}
	return wire.FromJSON(text, wire.Limits{MaxBytes: provider.MaxResponse})
}
