package agentfiles

import (
	"encoding/base64"
	"fmt"
	"unicode/utf8"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
)

// change is what an update says of one file. One of its forms is set.
type change struct {
	remove bool
	entry  wire.Raw // an [Entry] that replaces the file
	edits  *edits
}

// edits change the text of a file, one after the other.
type edits struct {
	Edits      []Edit `msgpack:"edits"`
	ModifiedAt string `msgpack:"modified_at"`
}

// changesOf reads an update of the field.
func changesOf(update wire.Raw) (map[string]change, error) {
	entries, err := entriesOf(update)
	if err != nil {
		return nil, err
	}
	changes := make(map[string]change, len(entries))
	for name, raw := range entries {
		if clean, err := Clean(name); err != nil || clean != name || name == "/" {
			return nil, fmt.Errorf("%q is no path of a file; it begins with / and has no ., .. or // in it", name)
		}
		var c change
		switch {
		case raw.IsNil():
			c.remove = true
		case !raw.IsMap():
			return nil, fmt.Errorf("the file %q is a map with content, encoding, created_at and modified_at, or null", name)
		case hasKey(raw, "edits"):
			c.edits = &edits{}
			err = host.Decode(raw, c.edits)
		case hasKey(raw, "content"):
			c.entry = raw
			_, err = decodeEntry(name, raw)
		default:
			return nil, fmt.Errorf("the file %q has no content", name)
		}
		if err != nil {
			return nil, err
		}
		changes[name] = c
	}
	return changes, nil
}

func hasKey(m wire.Raw, key string) bool {
	for k := range m.Pairs() {
		if string(k) == key {
			return true
		}
	}
	return false
}

// apply changes the files that are present.
func (c change) apply(name string, present map[string]wire.Raw) error {
	switch {
	case c.remove:
		delete(present, name)
	case c.edits == nil:
		present[name] = c.entry
	case present[name] != nil:
		entry, err := decodeEntry(name, present[name])
		if err != nil {
			return err
		}
		for _, edit := range c.edits.Edits {
			if content, _, err := edit.apply(name, entry.bytes()); err == nil {
				entry.Content, entry.Encoding = encoded(content)
			}
		}
		entry.ModifiedAt = c.edits.ModifiedAt
		raw, err := host.Encode(entry)
		if err != nil {
			return err
		}
		present[name] = raw
	}
	return nil
}

// raw is the form of the change in an update.
func (c change) raw() (wire.Raw, error) {
	switch {
	case c.remove:
		return wire.Raw{0xc0}, nil
	case c.edits == nil:
		return c.entry, nil
	}
	return host.Encode(c.edits)
}

// bytes is the content of a file. What is said to be base64 and is not is taken as it stands.
func (e Entry) bytes() []byte {
	if e.Encoding == base64Encoding {
		if content, err := base64.StdEncoding.DecodeString(e.Content); err == nil {
			return content
		}
	}
	return []byte(e.Content)
}

// encoded returns a content as the state keeps it.
func encoded(content []byte) (text, encoding string) {
	if utf8.Valid(content) {
		return string(content), utf8Encoding
	}
	return base64.StdEncoding.EncodeToString(content), base64Encoding
}
