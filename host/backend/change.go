package backend

import (
	"encoding/base64"
	"fmt"
	"unicode/utf8"

	"github.com/agenthost/agenthost/abi/wire"
)

// change is what an update does to one file. Exactly one of its forms is set.
type change struct {
	remove bool
	entry  wire.Raw // an [Entry] that replaces the file
	edits  *edits
}

// edits change the text of a file, one after the other.
type edits struct {
	edits      []Edit
	modifiedAt string
}

// changesOf decodes an update of the field. What clients of deepagents write becomes what a tool would have written: a relative path, a text in place of
// an entry, and a list of lines in place of its content.
func changesOf(update wire.Raw) (map[string]change, error) {
	entries, err := entriesOf(update)
	if err != nil {
		return nil, err
	}
	changes := make(map[string]change, len(entries))
	for name, raw := range entries {
		clean, err := Clean(name)
		if err != nil || clean == "/" {
			return nil, fmt.Errorf("%q is not a path of a file; write one without .., such as /notes/a.md", name)
		}
		if _, twice := changes[clean]; twice {
			return nil, fmt.Errorf("the file %q is there twice, under different forms of its path; leave one out", clean)
		}
		c, err := changeOf(name, raw)
		if err != nil {
			return nil, err
		}
		changes[clean] = c
	}
	return changes, nil
}

// changeOf decodes what an update says about one file.
func changeOf(name string, raw wire.Raw) (c change, err error) {
	if raw.IsNil() {
		return change{remove: true}, nil
	}
	if text, ok := raw.AsString(); ok {
		return change{entry: Entry{Content: text, Encoding: utf8Encoding}.raw()}, nil
	}
	if !raw.IsMap() {
		return c, fmt.Errorf("the file %q must be null, a text, or a map with content, encoding, created_at and modified_at", name)
	}
	if _, ok := member(raw, "edits"); ok {
		c.edits, err = decodeEdits(name, raw)
		return c, err
	}
	content, ok := member(raw, "content")
	if !ok {
		return c, fmt.Errorf("the file %q lacks the key content", name)
	}
	entry, err := decodeEntry(name, raw)
	if c.entry = raw; content.IsArray() {
		c.entry = entry.raw()
	}
	return c, err
}

// member returns the value of a key of a map.
func member(m wire.Raw, key string) (value wire.Raw, ok bool) {
	for k, v := range m.Pairs() {
		if string(k) == key {
			return v, true
		}
	}
	return nil, false
}

// apply applies the change to the files.
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
		for _, edit := range c.edits.edits {
			if content, _, err := edit.Apply(name, entry.bytes()); err == nil {
				entry.Content, entry.Encoding = encoded(content)
			}
		}
		entry.ModifiedAt = c.edits.modifiedAt
		present[name] = entry.raw()
	}
	return nil
}

// raw encodes the change for an update.
func (c change) raw() wire.Raw {
	switch {
	case c.remove:
		return wire.Raw{0xc0}
	case c.edits == nil:
		return c.entry
	}
	list := wire.AppendArrayHeader(nil, len(c.edits.edits))
	for _, e := range c.edits.edits {
		list = append(list, wire.Map{
			{Key: "new_string", Value: wire.String(e.New)},
			{Key: "old_string", Value: wire.String(e.Old)},
			{Key: "replace_all", Value: wire.Bool(e.All)},
		}.Raw()...)
	}
	return wire.Map{{Key: "edits", Value: list}, {Key: "modified_at", Value: wire.String(c.edits.modifiedAt)}}.Raw()
}

// decodeEdits decodes edits of an update.
func decodeEdits(name string, raw wire.Raw) (*edits, error) {
	var given wire.Map
	if _, err := given.UnmarshalMsg(raw); err != nil {
		return nil, fmt.Errorf("the file %q: %w", name, err)
	}
	e := &edits{}
	e.modifiedAt, _ = given.Get("modified_at").AsString()
	list := given.Get("edits")
	if !list.IsArray() {
		return nil, fmt.Errorf("edits of the file %q must be a list", name)
	}
	for item := range list.Elements() {
		var fields wire.Map
		if _, err := fields.UnmarshalMsg(item); err != nil {
			return nil, fmt.Errorf("an edit of the file %q: %w", name, err)
		}
		var edit Edit
		var hasOld, hasNew bool
		edit.Old, hasOld = fields.Get("old_string").AsString()
		edit.New, hasNew = fields.Get("new_string").AsString()
		edit.All, _ = fields.Get("replace_all").AsBool()
		if !hasOld || !hasNew {
			return nil, fmt.Errorf("an edit of the file %q must have the texts old_string and new_string", name)
		}
		e.edits = append(e.edits, edit)
	}
	return e, nil
}

// bytes returns the content of a file. Invalid base64 is returned as it is.
func (e Entry) bytes() []byte {
	if e.Encoding == base64Encoding {
		if content, err := base64.StdEncoding.DecodeString(e.Content); err == nil {
			return content
		}
	}
	return []byte(e.Content)
}

// encoded returns a content in the form of an [Entry].
func encoded(content []byte) (text, encoding string) {
	if utf8.Valid(content) {
		return string(content), utf8Encoding
	}
	return base64.StdEncoding.EncodeToString(content), base64Encoding
}
