package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// maxList is the maximum length of a list in an answer. A short text may hold a very long list, which would need many times
// its memory.
const maxList = 1 << 14

// list is a JSON array whose entries are decoded one by one; null is an empty one.
type list []json.RawMessage

// UnmarshalJSON reads the array.
func (l *list) UnmarshalJSON(text []byte) error {
	*l = nil
	if string(text) == "null" {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if first, err := d.Token(); err != nil || first != json.Delim('[') {
		return errors.New("a list is expected in a place that holds something else")
	}
	for d.More() {
		if len(*l) == maxList {
			return fmt.Errorf("a list has more than %d entries", maxList)
		}
		var entry json.RawMessage
		if err := d.Decode(&entry); err != nil {
			return err
		}
		*l = append(*l, entry)
	}
	return nil
}

// isSet reports whether a field is present and not empty.
func isSet(field json.RawMessage) bool {
	switch string(field) {
	case "", "null", "false", `""`, "{}":
		return false
	default:
		return true
	}
}
