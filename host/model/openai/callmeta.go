package openai

import (
	"encoding/json"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model/internal/provider"
)

// MetaCalls is the key in a message's Meta for extra fields of its calls that must be sent back. It holds a map from call ids
// to fields, such as {extra_content: {google: {thought_signature: …}}} of Gemini 3, which refuses calls without them
// (https://ai.google.dev/gemini-api/docs/thought-signatures). It is absent if there are none.
const MetaCalls = "openai_calls"

// keep saves the extra fields of calls in the Meta of their message.
func keep(m *abi.Message, calls []call) error {
	further := map[string]map[string]json.RawMessage{}
	for _, c := range calls {
		if c.id != "" && len(c.further) > 0 {
			further[c.id] = c.further
		}
	}
	if len(further) == 0 {
		return nil
	}
	text, err := json.Marshal(further)
	if err != nil {
		return err
	}
	value, err := wire.FromJSON(text, wire.Limits{MaxBytes: provider.MaxResponse})
	if err != nil {
		return err
	}
	m.Meta.Set(MetaCalls, value)
	return nil
}

// kept restores the extra fields of calls.
func kept(m *abi.Message, calls []call) {
	for id, further := range m.Meta.Get(MetaCalls).Pairs() {
		for i := range calls {
			if calls[i].id == string(id) {
				calls[i].further = fieldsOf(further)
			}
		}
	}
}

// fieldsOf returns the fields of a map as JSON.
func fieldsOf(of wire.Raw) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for key, value := range of.Pairs() {
		out[string(key)] = json.RawMessage(value.JSON())
	}
	return out
}
