package main

import sdk "github.com/agenthost/agenthost/sdk/go"

// entryFormat is the form of entries. It changes with that of what they hold.
const entryFormat = 1

// entry is what the store keeps under a key.
//
//agenthost:document
type entry struct {
	Format uint64  // entryFormat
	At     uint64  // when it was made, in nanoseconds since 1970
	Reply  sdk.Raw // a ModelResponse, or a Message of the role tool
}

// readEntry decodes what was found in the store. What this version cannot have written is not an entry.
func readEntry(value sdk.Raw) (e entry, ok bool) {
	if !value.IsMap() {
		return e, false
	}
	_, err := e.UnmarshalMsg(value)
	return e, err == nil && e.Format == entryFormat
}
