// Package schema checks msgpack values against JSON Schemas: the arguments of tools, the values of state fields, the
// configuration of plugins. The verdict comes from google/jsonschema-go. Values that
// clearly conform to a simple schema are accepted without decoding them, because every tool call of every run is checked here.
package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/agenthost/agenthost/abi/wire"
)

// Schema is a compiled JSON Schema. A nil Schema accepts every value.
type Schema struct {
	raw      wire.Raw
	resolved *jsonschema.Resolved
	plain    *plain // nil: the schema is not plain
	cost     cost
	defaults bool // some property may have a default
}

// Compile compiles a schema from a trusted source. For an absent schema or nil it returns a nil Schema.
func Compile(raw wire.Raw) (*Schema, error) {
	return compile(raw, func(*jsonschema.Schema, cost) error { return nil })
}

// compile compiles a schema if check returns no error for it.
func compile(raw wire.Raw, check func(*jsonschema.Schema, cost) error) (*Schema, error) {
	if raw.IsNil() {
		return nil, nil //nolint:nilnil // a nil Schema is a schema
	}
	if !raw.IsMap() && raw.Type() != "boolean" {
		return nil, errors.New("schema: must be a map")
	}
	text, err := wire.AppendJSON(nil, raw)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	var s jsonschema.Schema
	err = json.Unmarshal(text, &s)
	if err == nil {
		err = complete(&s)
	}
	if err != nil {
		return nil, fmt.Errorf("schema: %w", fault(text, err))
	}
	cost := costOf(&s)
	if err := check(&s, cost); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return &Schema{raw: raw, resolved: resolved, plain: plainOf(raw), cost: cost, defaults: bytes.Contains(text, []byte(`"default":`))}, nil
}

// These are the limits of a schema from a guest.
const (
	MaxUntrustedBytes = 64 << 10
	MaxUntrustedDepth = 32
)

// CompileUntrusted compiles a schema that a guest wrote: at most [MaxUntrustedBytes] long and [MaxUntrustedDepth]
// deep, and without references, since a schema that refers to itself overflows the validator's stack.
func CompileUntrusted(raw wire.Raw) (*Schema, error) {
	if len(raw) == 0 {
		return nil, nil //nolint:nilnil // a nil Schema is a schema
	}
	limits := wire.Limits{MaxBytes: MaxUntrustedBytes, MaxDepth: MaxUntrustedDepth}
	if err := wire.Validate(raw, limits); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return compile(raw, func(s *jsonschema.Schema, c cost) error {
		if key := reference(s); key != "" {
			return fmt.Errorf("%q is not allowed in a plugin's schema; write the schema out", key)
		}
		if c.pattern > maxUntrustedPattern {
			return fmt.Errorf("its patterns have %d steps; %d are allowed in a plugin's schema", c.pattern, maxUntrustedPattern)
		}
		return nil
	})
}

// Raw returns the schema as it was given; nil for a nil Schema.
func (s *Schema) Raw() wire.Raw {
	if s == nil {
		return nil
	}
	return s.raw
}

// Validate returns nil if v conforms, else a [*ValidationError].
func (s *Schema) Validate(v wire.Raw) error {
	if s == nil {
		return nil
	}
	if err := s.cost.allows(v); err != nil {
		return &ValidationError{Problems: []string{err.Error()}}
	}
	if s.plain != nil && s.plain.accepts(v) {
		return nil
	}
	value, err := v.Value()
	if err != nil {
		return &ValidationError{Problems: []string{err.Error()}}
	}
	if err := s.resolved.Validate(value); err != nil {
		return &ValidationError{Problems: s.problems(v, err)}
	}
	return nil
}

// ValidationError lists the problems of a value, one in each line: the place, a colon, and the problem.
type ValidationError struct{ Problems []string }

func (e *ValidationError) Error() string { return strings.Join(e.Problems, "\n") }

// problems describes the validator's verdict: the names of missing properties in the words of pydantic, or else the validator's text.
func (s *Schema) problems(v wire.Raw, verdict error) []string {
	var missing []string
	var given, required wire.Map
	if _, err := given.UnmarshalMsg(v); err == nil {
		if _, err := required.UnmarshalMsg(s.raw); err == nil {
			for item := range required.Get("required").Elements() {
				if name, ok := item.AsString(); ok && !given.Has(name) {
					missing = append(missing, name+": Field required")
				}
			}
		}
	}
	if len(missing) > 0 {
		return missing
	}
	return []string{strings.TrimPrefix(verdict.Error(), "validating root: ")}
}
