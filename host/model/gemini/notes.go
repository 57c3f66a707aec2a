package gemini

import (
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// MetaCalls is the key in the Meta of a message under which stands what its calls must be sent back with: a list with a map
// for each, in the order of the answer: name, id where the API gave one, and thought_signature where it gave one. It is
// absent if it gave neither.
//
// The ids of calls cannot tell that: the host gives ids to calls without, and to those whose id another call has; of the
// others' the API wants to see no id, and of its own it wants each. Nor can their places: a hook may take calls out. So a
// call is known by its id, or else is the first with its name.
const MetaCalls = "gemini_calls"

// note is what a call must be sent back with.
type note struct{ name, id, signature string }

const (
	noteName = "name"
	noteID   = "id"
)

// writeNotes returns the value of MetaCalls; nil if the notes say nothing.
func writeNotes(notes []note) wire.Raw {
	if !slices.ContainsFunc(notes, func(n note) bool { return n.id != "" || n.signature != "" }) {
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

// readNotes returns what stands under MetaCalls.
func readNotes(meta wire.Map) []note {
	items, _ := meta.Get(MetaCalls).Items()
	out := make([]note, 0, len(items))
	for _, item := range items {
		entry := abi.BlockOf(nil)
		var fields wire.Map
		if _, err := fields.UnmarshalMsg(item); err == nil {
			entry = abi.BlockOf(fields)
		}
		out = append(out, note{entry.String(noteName), entry.String(noteID), entry.String(KeySignature)})
	}
	return out
}

// assign returns the note of each call, an empty one where there is none.
func assign(notes []note, calls []abi.ToolCall) []note {
	out := make([]note, len(calls))
	byID := make(map[note]int, len(notes))
	for i, n := range notes {
		key := note{name: n.name, id: n.id}
		if _, ok := byID[key]; !ok {
			byID[key] = i
		}
	}
	taken := make([]bool, len(notes))
	var others []int // calls that are known by their names only
	for i, call := range calls {
		at, ok := byID[note{name: call.Name, id: call.ID}]
		if !ok || call.ID == "" || taken[at] {
			others = append(others, i)
			continue
		}
		out[i], taken[at] = notes[at], true
	}
	byName := map[string][]note{}
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
