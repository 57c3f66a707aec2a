package agentfiles

import (
	"fmt"
	"maps"
	"slices"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
)

// MaxState is how much the files of a thread hold together, in bytes: a thread carries them from step to step.
const MaxState = 64 << 20

// Entry is a file in the state.
type Entry struct {
	Content    string `msgpack:"content"`
	Encoding   string `msgpack:"encoding"`    // of Content: "utf-8" or, for what is no text, "base64"
	CreatedAt  string `msgpack:"created_at"`  // RFC 3339
	ModifiedAt string `msgpack:"modified_at"` // RFC 3339
}

// The encodings.
const (
	utf8Encoding   = "utf-8"
	base64Encoding = "base64"
)

// raw is the entry as the state has it.
func (e Entry) raw() wire.Raw {
	return wire.Map{
		{Key: "content", Value: wire.String(e.Content)},
		{Key: "created_at", Value: wire.String(e.CreatedAt)},
		{Key: "encoding", Value: wire.String(e.Encoding)},
		{Key: "modified_at", Value: wire.String(e.ModifiedAt)},
	}.Raw()
}

// Field is the state field of files: a map from a clean path to an [Entry]. All middleware that keeps files in the state
// declares it. Updates are maps too, in which null removes a file, an entry replaces it, and
//
//	{edits: [{old_string, new_string, replace_all}], modified_at}
//
// replaces texts in it: tool calls that run at once may edit one file, and neither loses what the other does. An edit of a
// file that has gone, or whose text has, changes nothing.
var Field = host.NewField[map[string]Entry]("files", host.Reduced(host.Reducer{Name: "files", Reduce: merge}))

// merge applies an update of the field.
func merge(value, update wire.Raw) (wire.Raw, error) {
	present, err := entriesOf(value)
	if err != nil {
		return nil, err
	}
	changes, err := changesOf(update)
	if err != nil {
		return nil, err
	}
	for name, c := range changes {
		if err := c.apply(name, present); err != nil {
			return nil, err
		}
	}
	var size int64
	out := make(wire.Map, 0, len(present))
	for _, name := range slices.Sorted(maps.Keys(present)) {
		size += int64(len(present[name]))
		out = append(out, wire.Pair{Key: name, Value: present[name]})
	}
	if size > MaxState {
		return nil, fmt.Errorf("all files together would have %d bytes, the limit is %d", size, MaxState)
	}
	return out.Raw(), nil
}

// entriesOf returns the files of a value of the field, not decoded.
func entriesOf(value wire.Raw) (map[string]wire.Raw, error) {
	out := make(map[string]wire.Raw, value.Len())
	if value.IsNil() {
		return out, nil
	}
	if !value.IsMap() {
		return nil, fmt.Errorf("files must be a map from paths to files, not a value of the type %s", value.Type())
	}
	for name, entry := range value.Pairs() {
		out[string(name)] = entry
	}
	return out, nil
}

// decodeEntry reads a file of the state, which may come from the caller of a run. It may be longer than a document that
// [host.Decode] takes.
func decodeEntry(name string, raw wire.Raw) (Entry, error) {
	var e Entry
	for key, value := range raw.Pairs() {
		var into *string
		switch string(key) {
		case "content":
			into = &e.Content
		case "encoding":
			into = &e.Encoding
		case "created_at":
			into = &e.CreatedAt
		case "modified_at":
			into = &e.ModifiedAt
		default:
			continue
		}
		text, ok := value.AsString()
		if !ok && !value.IsNil() {
			return e, fmt.Errorf("%s of the file %q must be a text, not a value of the type %s", key, name, value.Type())
		}
		*into = text
	}
	if e.Encoding == "" {
		e.Encoding = utf8Encoding
	}
	if e.Encoding != utf8Encoding && e.Encoding != base64Encoding {
		return e, fmt.Errorf("the file %q has the encoding %q; there are %s and %s", name, e.Encoding, utf8Encoding, base64Encoding)
	}
	return e, nil
}
