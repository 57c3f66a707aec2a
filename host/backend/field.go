package backend

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
)

// MaxState is the size of the largest state of files, in bytes. A thread carries its files from step to step.
const MaxState = 64 << 20

// Entry is a file in the state.
type Entry struct {
	Content    string `msgpack:"content"`
	Encoding   string `msgpack:"encoding"`    // of Content: "utf-8", or "base64" if it is not valid UTF-8
	CreatedAt  string `msgpack:"created_at"`  // RFC 3339
	ModifiedAt string `msgpack:"modified_at"` // RFC 3339
}

// The encodings of an entry.
const (
	utf8Encoding   = "utf-8"
	base64Encoding = "base64"
)

// raw encodes the entry for the state.
func (e Entry) raw() wire.Raw {
	return wire.Map{
		{Key: "content", Value: wire.String(e.Content)},
		{Key: "created_at", Value: wire.String(e.CreatedAt)},
		{Key: "encoding", Value: wire.String(e.Encoding)},
		{Key: "modified_at", Value: wire.String(e.ModifiedAt)},
	}.Raw()
}

// Field is the state field of files: a map from clean paths to entries ([Entry]). All middleware that keeps files in the
// state declares it. Updates are maps, too: null removes a file, an entry or the text of one replaces it, and
//
//	{edits: [{old_string, new_string, replace_all}], modified_at}
//
// replaces texts in it. So several parallel tool calls can edit one file without losing each other's edits. An edit of a
// removed file, or of a text that is gone, changes nothing.
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

// entriesOf returns the encoded files of a value of the field.
func entriesOf(value wire.Raw) (map[string]wire.Raw, error) {
	out := make(map[string]wire.Raw, value.Len())
	if value.IsNil() {
		return out, nil
	}
	if !value.IsMap() {
		return nil, fmt.Errorf("files must be a map from paths to files, not a value of type %s", value.Type())
	}
	for name, entry := range value.Pairs() {
		out[string(name)] = entry
	}
	return out, nil
}

// decodeEntry decodes a file of the state, which may come from the caller of a run. It may be longer than the documents
// that [host.Decode] accepts.
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
		if !ok && into == &e.Content {
			text, ok = joined(value)
		}
		if !ok && !value.IsNil() {
			return e, fmt.Errorf("%s of the file %q must be a text, not a value of type %s", key, name, value.Type())
		}
		*into = text
	}
	if e.Encoding == "" {
		e.Encoding = utf8Encoding
	}
	if e.Encoding != utf8Encoding && e.Encoding != base64Encoding {
		return e, fmt.Errorf("the file %q has the unknown encoding %q; use %s or %s", name, e.Encoding, utf8Encoding, base64Encoding)
	}
	return e, nil
}

// joined returns the text of a list of lines.
func joined(value wire.Raw) (text string, ok bool) {
	if !value.IsArray() {
		return "", false
	}
	var lines []string
	for item := range value.Elements() {
		line, ok := item.AsString()
		if !ok {
			return "", false
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n"), true
}
