package builtin

import (
	"errors"
	"fmt"
)

// Deferred is a part of a configuration that this package cannot read, since it does not know how a manifest has tools and
// middleware: who reads the configuration decodes it, as manifest does, and puts what comes of it into the field for Go.
type Deferred struct{ decode func(into any) error }

// UnmarshalYAML notes how the part is decoded.
func (d *Deferred) UnmarshalYAML(decode func(into any) error) error {
	d.decode = decode
	return nil
}

// Given reports whether the part is there, be it empty.
func (d *Deferred) Given() bool { return d.decode != nil }

// Decode decodes the part into what a pointer points to.
func (d *Deferred) Decode(into any) error {
	if d.decode == nil {
		return errors.New("there is nothing to decode")
	}
	return d.decode(into)
}

// errDeferred is the error of a configuration whose reader has left a part as it was.
func errDeferred(key, field string) error {
	return fmt.Errorf("%s can only stand in a manifest; in Go, use %s", key, field)
}

// entryList is the schema of a list of entries of a manifest, which have more forms than a schema here could tell.
func entryList() map[string]any {
	return map[string]any{"type": "array", "items": map[string]any{"type": []any{"string", "object"}}}
}

// ToolEntries is a list of tools, as that of a manifest, or of the names of tools.
type ToolEntries struct{ Deferred }

// JSONSchema describes the list.
func (ToolEntries) JSONSchema() map[string]any { return entryList() }

// MiddlewareEntries is a list of middleware, as that of a manifest.
type MiddlewareEntries struct{ Deferred }

// JSONSchema describes the list.
func (MiddlewareEntries) JSONSchema() map[string]any { return entryList() }

// ResponseFormatEntry is a format of answers, as that of a manifest.
type ResponseFormatEntry struct{ Deferred }

// JSONSchema describes the format.
func (ResponseFormatEntry) JSONSchema() map[string]any { return map[string]any{"type": "object"} }
