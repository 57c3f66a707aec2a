package openai

import (
	"encoding/json"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// reasoningEntry is an entry of a list of reasoning, complete or so far.
type reasoningEntry struct {
	fields map[string]json.RawMessage
	texts  map[string][]byte // values of fields that arrive in pieces
}

// join adds the next piece of the entry.
func (e *reasoningEntry) join(next *reasoningEntry) {
	for key, value := range next.fields {
		if _, ok := next.texts[key]; ok {
			e.texts[key] = append(e.texts[key], next.texts[key]...)
		} else if isSet(value) {
			e.fields[key] = value
		}
	}
}

// entryList returns the list of entries.
func entryList(entries []*reasoningEntry) (wire.Raw, error) {
	all := make([]object, len(entries))
	for i, entry := range entries {
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
