package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// applyTags adds the tags enum, default, min and max of a type's fields to its schema, at every depth.
func applyTags(t reflect.Type, s *jsonschema.Schema) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case s == nil:
		return nil
	case t.Kind() == reflect.Slice || t.Kind() == reflect.Array:
		return applyTags(t.Elem(), s.Items)
	case t.Kind() == reflect.Map:
		return applyTags(t.Elem(), s.AdditionalProperties)
	case t.Kind() != reflect.Struct:
		return nil
	}
	for _, field := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" {
			name = field.Name
		}
		property := s.Properties[name]
		if field.Anonymous || !field.IsExported() || field.Tag.Get("json") == "-" || property == nil {
			continue
		}
		if err := applyFieldTags(field, property); err != nil {
			return fmt.Errorf("%s.%s: %w", t, field.Name, err)
		}
		if property.Default != nil {
			s.Required = slices.DeleteFunc(s.Required, func(required string) bool { return required == name })
		}
	}
	return nil
}

func applyFieldTags(field reflect.StructField, s *jsonschema.Schema) error {
	if err := applyTags(field.Type, s); err != nil {
		return err
	}
	for _, tag := range []struct {
		name  string
		apply func(s *jsonschema.Schema, text string) error
	}{
		{"enum", applyEnum}, {"min", applyMin}, {"max", applyMax}, {"default", applyDefault},
	} {
		text, ok := field.Tag.Lookup(tag.name)
		if !ok {
			continue
		}
		if err := tag.apply(s, text); err != nil {
			return fmt.Errorf("tag %s:%q: %w", tag.name, text, err)
		}
	}
	return nil
}

// applyEnum sets the values that a field, or each item of a list, may have.
func applyEnum(s *jsonschema.Schema, text string) error {
	if s.Items != nil {
		s = s.Items
	}
	for item := range strings.SplitSeq(text, ",") {
		if item == "" || item != strings.TrimSpace(item) {
			return errors.New(`separate the values by commas without spaces, as in enum:"low,high"`)
		}
		value, err := valueOf(s, item)
		if err != nil {
			return err
		}
		s.Enum = append(s.Enum, value)
	}
	return nil
}

func applyMin(s *jsonschema.Schema, text string) error {
	return applyBound(s, text, &s.Minimum, &s.MinLength, &s.MinItems)
}

func applyMax(s *jsonschema.Schema, text string) error {
	return applyBound(s, text, &s.Maximum, &s.MaxLength, &s.MaxItems)
}

// applyBound sets a bound for a number, for the characters of a string, or for the items of a list.
func applyBound(s *jsonschema.Schema, text string, number **float64, length, items **int) error {
	target := length
	switch s.Type {
	case "integer", "number":
		bound, err := strconv.ParseFloat(text, 64)
		*number = &bound
		return err
	case "string":
	case "array":
		target = items
	default:
		return fmt.Errorf("only numbers, strings and lists can have bounds, and the type is %q", s.Type)
	}
	bound, err := strconv.ParseUint(text, 10, 31)
	*target = new(int(bound))
	return err
}

// applyDefault sets the default of a field.
func applyDefault(s *jsonschema.Schema, text string) error {
	value, err := valueOf(s, text)
	if err != nil {
		return err
	}
	s.Default, err = json.Marshal(value)
	return err
}

// valueOf reads a value in a tag: a string as it is, anything else as JSON.
func valueOf(s *jsonschema.Schema, text string) (any, error) {
	if s.Type == "string" {
		return text, nil
	}
	if number, err := strconv.ParseInt(text, 10, 64); err == nil { // a float64 might not hold it exactly
		return number, nil
	}
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		return nil, fmt.Errorf("%q is not valid JSON for a value of the type %q", text, s.Type)
	}
	return value, nil
}
