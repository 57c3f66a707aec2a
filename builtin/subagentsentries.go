package builtin

import (
	"errors"
	"fmt"
)

// DeferredConfig is a part of a configuration that this package cannot decode, because it does not know the forms of tools and
// middleware in a manifest. The reader of the configuration decodes it, as package manifest does, and sets the Go field
// instead.
type DeferredConfig struct{ decode func(into any) error }

// UnmarshalYAML keeps the part to be decoded later.
func (d *DeferredConfig) UnmarshalYAML(decode func(into any) error) error {
	d.decode = decode
	return nil
}

// Given reports whether the part is set, even if it is empty.
func (d *DeferredConfig) Given() bool { return d.decode != nil }

// Decode decodes the part into the value that a pointer points to.
func (d *DeferredConfig) Decode(into any) error {
	if d.decode == nil {
		return errors.New("there is nothing to decode")
	}
	return d.decode(into)
}

// errDeferred is the error of a part that the reader of a configuration has not decoded.
func errDeferred(key, field string) error {
	return fmt.Errorf("%s can be used only in a manifest; in Go, use %s", key, field)
}

// entryList returns the schema of a list of manifest entries, which have forms that this package does not know.
func entryList() map[string]any {
	return map[string]any{"type": "array", "items": map[string]any{"type": []any{"string", "object"}}}
}

// ToolEntries is a list of tools as in a manifest, or of names of tools.
type ToolEntries struct{ DeferredConfig }

// JSONSchema describes the list.
func (ToolEntries) JSONSchema() map[string]any { return entryList() }

// MiddlewareEntries is a list of middleware as in a manifest.
type MiddlewareEntries struct{ DeferredConfig }

// JSONSchema describes the list.
func (MiddlewareEntries) JSONSchema() map[string]any { return entryList() }

// ResponseFormatEntry is a response format as in a manifest.
type ResponseFormatEntry struct{ DeferredConfig }

// JSONSchema describes the format.
func (ResponseFormatEntry) JSONSchema() map[string]any { return map[string]any{"type": "object"} }
