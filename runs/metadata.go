package runs

import (
	"fmt"
	"maps"
	"math"
	"strings"
	"unicode/utf8"
)

// Metadata is what clients note about a row: an object of JSON values as [encoding/json] decodes them, that is, of nil, bool,
// float64, string, []any and map[string]any. It has at most [MaxMetadataValues] values, [MaxMetadataDepth] levels and
// [MaxMetadata] bytes. What a store returns is never nil.
type Metadata map[string]any

// The limits of metadata. A search compares values with each other, so their number bounds its time.
const (
	MaxMetadata       = 64 << 10 // bytes of keys and texts, and eight for each value
	MaxMetadataValues = 1000     // of all levels
	MaxMetadataDepth  = 16
)

// Contains reports whether the metadata contains other metadata, as the operator @> of PostgreSQL's jsonb does:
//
//   - an object contains another if it has all its keys, and each value contains the other's;
//   - an array contains another if each element of the other is contained in one of its elements, in any order and number;
//   - other values contain what equals them. Numbers are compared by value, so 1 and 1.0 are equal.
func (m Metadata) Contains(part Metadata) bool { return containsObject(m, part) }

func containsObject(whole, part map[string]any) bool {
	for key, wanted := range part {
		value, ok := whole[key]
		if !ok || !contains(value, wanted) {
			return false
		}
	}
	return true
}

func contains(whole, part any) bool {
	switch part := part.(type) {
	case map[string]any:
		whole, ok := whole.(map[string]any)
		return ok && containsObject(whole, part)
	case []any:
		whole, ok := whole.([]any)
		return ok && containsArray(whole, part)
	case nil:
		return whole == nil
	case bool:
		value, ok := whole.(bool)
		return ok && value == part
	case float64:
		value, ok := whole.(float64)
		return ok && value == part
	case string:
		value, ok := whole.(string)
		return ok && value == part
	default:
		return false
	}
}

func containsArray(whole, part []any) bool {
	for _, wanted := range part {
		found := false
		for i := 0; i < len(whole) && !found; i++ {
			found = contains(whole[i], wanted)
		}
		if !found {
			return false
		}
	}
	return true
}

// Check returns an error that wraps [ErrInvalidValue] if no store can keep the metadata.
func (m Metadata) Check() error {
	c := metadataCheck{}
	if err := c.object(m, 1); err != nil {
		return fmt.Errorf("metadata: %w; %w", err, ErrInvalidValue)
	}
	return nil
}

var errDeep = fmt.Errorf("it has more than %d levels", MaxMetadataDepth)

// metadataCheck counts values and bytes.
type metadataCheck struct{ values, bytes int }

func (c *metadataCheck) object(m map[string]any, level int) error {
	if level > MaxMetadataDepth {
		return errDeep
	}
	for key, value := range m {
		if err := c.text(key); err != nil {
			return err
		}
		if err := c.value(value, level); err != nil {
			return err
		}
	}
	return nil
}

// value checks a value of an object or array of the given level.
func (c *metadataCheck) value(value any, level int) error {
	c.values++
	c.bytes += 8
	switch {
	case c.values > MaxMetadataValues:
		return fmt.Errorf("it has more than %d values", MaxMetadataValues)
	case c.bytes > MaxMetadata:
		return fmt.Errorf("it has more than %d bytes", MaxMetadata)
	}
	switch value := value.(type) {
	case nil, bool:
		return nil
	case float64:
		if math.IsNaN(value) || math.IsInf(value, 0) {
			return fmt.Errorf("the number %v does not exist in JSON", value)
		}
		return nil
	case string:
		return c.text(value)
	case []any:
		if level >= MaxMetadataDepth {
			return errDeep
		}
		for _, element := range value {
			if err := c.value(element, level+1); err != nil {
				return err
			}
		}
		return nil
	case map[string]any:
		return c.object(value, level+1)
	default:
		return fmt.Errorf("a value is a %T; decode it with encoding/json", value)
	}
}

func (c *metadataCheck) text(text string) error {
	c.bytes += len(text)
	switch {
	case c.bytes > MaxMetadata:
		return fmt.Errorf("it has more than %d bytes", MaxMetadata)
	case !utf8.ValidString(text):
		return fmt.Errorf("the text %.40q is not valid UTF-8", text)
	case strings.Contains(text, "\x00"):
		return fmt.Errorf("the text %.40q contains the character 0", text)
	}
	return nil
}

// copied returns a copy that shares nothing with the metadata, and is not nil.
func (m Metadata) copied() Metadata {
	if len(m) == 0 {
		return Metadata{}
	}
	return copyObject(m)
}

func copyObject(m map[string]any) map[string]any {
	m = maps.Clone(m)
	for key, value := range m {
		m[key] = copyValue(value)
	}
	return m
}

func copyValue(value any) any {
	switch value := value.(type) {
	case map[string]any:
		if value == nil {
			return map[string]any{}
		}
		return copyObject(value)
	case []any:
		out := make([]any, len(value))
		for i := range value {
			out[i] = copyValue(value[i])
		}
		return out
	default:
		return value
	}
}
