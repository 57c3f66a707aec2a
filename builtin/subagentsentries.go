package builtin

import (
	"errors"
	"fmt"
)

// Deferred is a list in a configuration that this package cannot read, since it does not know how tools and middleware are
// written there: who reads the configuration decodes it, as host/manifest does, and puts what comes of it into the field for Go.
type Deferred struct{ decode func(into any) error }

// UnmarshalYAML notes how the list is decoded.
func (d *Deferred) UnmarshalYAML(decode func(into any) error) error {
	d.decode = decode
	return nil
}

// Given reports whether there is a list, be it empty.
func (d *Deferred) Given() bool { return d.decode != nil }

// Decode decodes the list into what a pointer points to.
func (d *Deferred) Decode(into any) error {
	if d.decode == nil {
		return errors.New("there is no list to decode")
	}
	return d.decode(into)
}

// JSONSchema describes the list.
func (Deferred) JSONSchema() map[string]any {
	return map[string]any{"type": "array", "items": map[string]any{"type": []any{"string", "object"}}}
}

// errDeferred is the error of a configuration whose reader has left a list as it was.
func errDeferred(key, field string) error {
	return fmt.Errorf("%s is a list that only a manifest can have; in Go, use %s", key, field)
}
