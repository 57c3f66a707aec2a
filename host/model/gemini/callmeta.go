package gemini

import (
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// MetaCalls is the key in a message's Meta for data that must be sent back with its calls. It holds a list with one map for
// each call, in the order of the answer: name, and id and thought_signature if the API sent them. It is absent if the API sent
// neither.
//
// The ids of calls in the message are not enough: the host assigns ids to calls without one or with a duplicate, while the API
// wants all its own ids back and no others. Positions are not enough either, because a hook may remove calls. So a call is
// matched by its id, or else by its name, first come first served.
const MetaCalls = "gemini_calls"

// callMeta is the data to send back with a call.
type callMeta struct{ name, id, signature string }

const (
	noteName = "name"
	noteID   = "id"
)

// writeNotes returns the value of MetaCalls; nil if the notes hold no data.
func writeNotes(notes []callMeta) wire.Raw {
	if !slices.ContainsFunc(notes, func(n callMeta) bool { return n.id != "" || n.signature != "" }) {
		return nil
	}
	out := wire.AppendArrayHeader(nil, len(notes))
	for _, n := range notes {
		entry := wire.Map{{Key: noteName, Value: wire.String(n.name)}}
		if n.id != "" {
			entry.Set(noteID, wire.String(n.id))
		}
		if n.signature != "" {
			entry.Set(KeySignature, wire.String(n.signature))
		}
		out, _ = entry.MarshalMsg(out)
	}
	return out
}

// readNotes reads the value under MetaCalls.
func readNotes(meta wire.Map) []callMeta {
	items, _ := meta.Get(MetaCalls).Items()
	out := make([]callMeta, 0, len(items))
	for _, item := range items {
		entry := abi.BlockOf(nil)
		var fields wire.Map
		if _, err := fields.UnmarshalMsg(item); err == nil {
			entry = abi.BlockOf(fields)
		}
		out = append(out, callMeta{entry.String(noteName), entry.String(noteID), entry.String(KeySignature)})
	}
	return out
}

// assign returns the note of each call, or an empty one.
func assign(notes []callMeta, calls []abi.ToolCall) []callMeta {
	out := make([]callMeta, len(calls))
	byID := make(map[callMeta]int, len(notes))
	for i, n := range notes {
		key := callMeta{name: n.name, id: n.id}
		if _, ok := byID[key]; !ok {
			byID[key] = i
		}
	}
	taken := make([]bool, len(notes))
	var others []int // calls matched only by name
	for i, call := range calls {
		at, ok := byID[callMeta{name: call.Name, id: call.ID}]
		if !ok || call.ID == "" || taken[at] {
			others = append(others, i)
			continue
		}
		out[i], taken[at] = notes[at], true
	}
	byName := map[string][]callMeta{}
	for i, n := range notes {
		if !taken[i] {
			byName[n.name] = append(byName[n.name], n)
		}
	}
	for _, i := range others {
		if left := byName[calls[i].Name]; len(left) > 0 {
			out[i], byName[calls[i].Name] = left[0], left[1:]
		}
	}
	return out
}
