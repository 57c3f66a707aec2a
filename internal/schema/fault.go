package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// fault says where and why a document is not a JSON Schema, given what the parser says of it. The parser names neither the place nor, in words
// that an author knows, what it expects.
func fault(document []byte, parsing error) error {
	var value any
	if json.Unmarshal(document, &value) != nil {
		return parsing
	}
	if found := faultIn(value, ""); found != nil {
		return found
	}
	return parsing
}

// faultIn returns the first fault of a schema at a place, or nil.
func faultIn(schema any, at string) error {
	keywords, isMap := schema.(map[string]any)
	if _, isBool := schema.(bool); !isMap && !isBool {
		return fmt.Errorf("%s: a schema must be an object, true or false, not %s", at, kindOf(schema))
	}
	for _, keyword := range slices.Sorted(maps.Keys(keywords)) {
		value := keywords[keyword]
		parsing := parse(map[string]any{keyword: value})
		if parsing == nil {
			continue
		}
		place := at + "/" + escape.Replace(keyword)
		if slices.Contains(singleSchemas, keyword) {
			if _, isList := value.([]any); !isList {
				return faultIn(value, place)
			}
		}
		for name, inner := range members(value) {
			if inner == nil || parse(inner) != nil {
				if found := faultIn(inner, place+"/"+escape.Replace(name)); found != nil {
					return found
				}
			}
		}
		return fmt.Errorf("%s: %w", place, expected(parsing, value))
	}
	return nil
}

// escape writes the name of a property as a part of a JSON pointer.
var escape = strings.NewReplacer("~", "~0", "/", "~1")

// singleSchemas are the keywords whose value is a schema. Other keywords may have schemas in a mapping or in a list.
var singleSchemas = []string{
	"additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not", "propertyNames", "then",
	"unevaluatedItems", "unevaluatedProperties",
}

// parse returns an error if a value is not a schema.
func parse(value any) error {
	document, err := json.Marshal(value)
	if err != nil {
		return err
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(document, &s); err != nil {
		return err
	}
	return complete(&s)
}

// complete returns an error if null is in the place of a schema inside another one. The parser accepts it, and then the validator panics.
func complete(s *jsonschema.Schema) error {
	for _, field := range reflect.ValueOf(s).Elem().Fields() {
		for _, inner := range schemasOf(field) {
			if inner == nil {
				return errors.New("a schema must not be null")
			}
			if err := complete(inner); err != nil {
				return err
			}
		}
	}
	return nil
}

// members yields the members of a mapping or a list in their order.
func members(value any) func(yield func(string, any) bool) {
	return func(yield func(string, any) bool) {
		switch value := value.(type) {
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(value)) {
				if !yield(name, value[name]) {
					return
				}
			}
		case []any:
			for i, inner := range value {
				if !yield(strconv.Itoa(i), inner) {
					return
				}
			}
		}
	}
}

// expected says what a keyword takes instead of a value.
func expected(parsing error, value any) error {
	var mismatch *json.UnmarshalTypeError
	if !errors.As(parsing, &mismatch) {
		if strings.Contains(parsing.Error(), "int") { // its fields of integers have a type of their own
			return fmt.Errorf("expected a whole number, not %s", kindOf(value))
		}
		return parsing
	}
	want := map[reflect.Kind]string{
		reflect.String: "a string", reflect.Bool: "true or false", reflect.Float64: "a number", reflect.Slice: "an array", reflect.Map: "an object",
	}[mismatch.Type.Kind()]
	if want == "" {
		return errors.New("the keyword does not take this value")
	}
	return fmt.Errorf("expected %s, not %s", want, kindOf(value))
}

// kindOf names the JSON type of a value.
func kindOf(value any) string {
	switch value := value.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(value)
	case float64:
		return "the number " + fmt.Sprint(value)
	case string:
		return "a string"
	case []any:
		return "an array"
	default:
		return "an object"
	}
}
