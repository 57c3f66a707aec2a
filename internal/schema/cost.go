package schema

import (
	"fmt"
	"reflect"
	"regexp/syntax"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/agenthost/agenthost/abi/wire"
)

// cost is the work of validating with a schema: parts counts per value, and pattern counts per byte of text. Even a small schema
// could take minutes with a large value.
type cost struct {
	parts   int // the schemas inside it, and the values that it lists
	pattern int // the instructions of its regular expressions
}

// These are the most expensive validations that are allowed. They take about a second.
const (
	mostParts   = 10_000_000
	mostPattern = 50_000_000
	// maxUntrustedPattern is the maximum number of instructions in the regular expressions of a guest's schema: "(a?){1000}" has 2,000.
	maxUntrustedPattern = 2_000
)

// allows reports whether a value is small enough for the schema.
func (c cost) allows(v wire.Raw) error {
	switch {
	case c.pattern > 0 && len(v) > mostPattern/c.pattern:
		return fmt.Errorf("the value has %d bytes, which are too many to check against patterns of %d steps", len(v), c.pattern)
	case len(v) > mostParts/c.parts && c.parts*values(v) > mostParts:
		return fmt.Errorf("the value has %d bytes, which are too many to check against a schema of %d parts", len(v), c.parts)
	}
	return nil
}

// values counts a value and all values in it.
func values(v wire.Raw) int {
	n := 1
	for item := range v.Elements() {
		n += values(item)
	}
	for _, item := range v.Pairs() {
		n += values(item)
	}
	return n
}

// costOf returns the cost of a schema and of all schemas inside it.
func costOf(s *jsonschema.Schema) cost {
	c := cost{parts: 1 + len(s.Enum) + len(s.Required), pattern: patternSize(s.Pattern)}
	for pattern := range s.PatternProperties {
		c.pattern += patternSize(pattern)
	}
	for _, field := range reflect.ValueOf(s).Elem().Fields() {
		for _, inner := range schemasOf(field) {
			more := costOf(inner)
			c.parts += more.parts
			c.pattern += more.pattern
		}
	}
	return c
}

// patternSize estimates the number of instructions of a regular expression without compiling it.
func patternSize(pattern string) int {
	if pattern == "" {
		return 0
	}
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return len(pattern) // compiling the schema reports the error
	}
	return size(re)
}

func size(re *syntax.Regexp) int {
	n := 1 + len(re.Rune)
	for _, sub := range re.Sub {
		n += size(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1)
	}
	return n
}
