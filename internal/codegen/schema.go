package codegen

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/text"
)

// maxNesting is the largest depth of documents inside documents. A host refuses deeper schemas.
const maxNesting = 15

// schema returns the JSON Schema of a document.
func (p *sourcePackage) schema(d *document, depth int) (map[string]any, error) {
	if depth > maxNesting {
		return nil, fmt.Errorf("%s: documents contain each other in a circle, or are nested more than %d levels deep", d.name, maxNesting)
	}
	properties := map[string]any{}
	var required []any
	for _, f := range d.fields {
		s, err := p.typeSchema(f.typ, depth)
		if err != nil {
			return nil, err
		}
		if text := cmp.Or(f.tag.Get("jsonschema"), f.doc); text != "" {
			s["description"] = text
		}
		if err := f.constrain(s); err != nil {
			return nil, fmt.Errorf("%s.%s: %w", d.name, f.name, err)
		}
		properties[f.key] = s
		if _, hasDefault := s["default"]; !hasDefault && !f.omitEmpty && f.typ.kind != kindPointer {
			required = append(required, f.key)
		}
	}
	s := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		s["required"] = required
	}
	if doc := description(d); doc != "" && depth > 0 {
		s["description"] = doc
	}
	return s, nil
}

// description returns the comment of a document on one line.
func description(d *document) string { return text.OneLine(d.doc) }

func (p *sourcePackage) typeSchema(t *goType, depth int) (map[string]any, error) {
	switch t.kind {
	case kindBool:
		return map[string]any{"type": "boolean"}, nil
	case kindString:
		if len(t.enum) > 0 {
			values := make([]any, len(t.enum))
			for i, v := range t.enum {
				values[i] = v
			}
			return map[string]any{"enum": values}, nil
		}
		return map[string]any{"type": "string"}, nil
	case kindInt:
		return map[string]any{"type": "integer"}, nil
	case kindUint:
		return map[string]any{"type": "integer", "minimum": 0}, nil
	case kindFloat:
		return map[string]any{"type": "number"}, nil
	case kindMap:
		return map[string]any{"type": "object"}, nil
	case kindDocument:
		return p.schema(p.document(t.name), depth+1)
	case kindPointer:
		return p.typeSchema(t.elem, depth)
	case kindList, kindDict:
		elem, err := p.typeSchema(t.elem, depth+1)
		if err != nil {
			return nil, err
		}
		if t.kind == kindList {
			return map[string]any{"type": "array", "items": elem}, nil
		}
		return map[string]any{"type": "object", "additionalProperties": elem}, nil
	default: // bytes and raw values
		return map[string]any{}, nil
	}
}

func (p *sourcePackage) document(name string) *document {
	for _, d := range p.documents {
		if d.name == name {
			return d
		}
	}
	return nil
}

// constrain adds the constraints in the field's tags to its schema.
func (f *field) constrain(s map[string]any) error {
	for _, keyword := range []string{"minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"} {
		if text, ok := f.tag.Lookup(keyword); ok {
			if _, err := strconv.ParseFloat(text, 64); err != nil {
				return fmt.Errorf("%s: %q is not a number", keyword, text)
			}
			s[keyword] = json.Number(text)
		}
	}
	if pattern, ok := f.tag.Lookup("pattern"); ok {
		s["pattern"] = pattern
	}
	if text, ok := f.tag.Lookup("enum"); ok {
		values, err := f.values(strings.Split(text, ","))
		if err != nil {
			return fmt.Errorf("enum: %w", err)
		}
		target := s
		if f.typ.kind == kindList {
			target, _ = s["items"].(map[string]any) // made for every list
		}
		delete(target, "type")
		target["enum"] = values
	}
	if text, ok := f.tag.Lookup("default"); ok {
		value, err := f.defaultValue(text)
		if err != nil {
			return fmt.Errorf("default: %w", err)
		}
		s["default"] = value
	}
	return nil
}

// values reads texts as values of the field's type, or of its innermost element type.
func (f *field) values(texts []string) ([]any, error) {
	t := f.typ
	for t.elem != nil {
		t = t.elem
	}
	values := make([]any, len(texts))
	for i, text := range texts {
		value, err := t.parse(strings.TrimSpace(text))
		if err != nil {
			return nil, err
		}
		values[i] = value
	}
	return values, nil
}

// defaultValue reads the default of a field. Commas separate the elements of a list.
func (f *field) defaultValue(text string) (any, error) {
	switch f.typ.kind {
	case kindList:
		if text == "" {
			return []any{}, nil
		}
		return f.values(strings.Split(text, ","))
	case kindPointer:
		return nil, errors.New("a pointer cannot have a default: it is nil if the key is missing")
	default:
		return f.typ.parse(text)
	}
}

// parse reads a text as a value of a basic type.
func (t *goType) parse(text string) (any, error) {
	var err error
	switch t.kind {
	case kindBool:
		return strconv.ParseBool(text)
	case kindString:
		return text, nil
	case kindInt:
		_, err = strconv.ParseInt(text, 10, 64)
	case kindUint:
		_, err = strconv.ParseUint(text, 10, 64)
	case kindFloat:
		_, err = strconv.ParseFloat(text, 64)
	default:
		return nil, fmt.Errorf("a %s cannot be written in a tag", t.name)
	}
	if err != nil {
		return nil, fmt.Errorf("%q is not a valid %s", text, t.name)
	}
	return json.Number(text), nil
}

// encode returns a schema as JSON and as a document.
func encode(schema map[string]any) (text string, document []byte, err error) {
	b, err := json.Marshal(schema)
	if err != nil {
		return "", nil, err
	}
	document, err = wire.FromJSON(b, wire.Limits{})
	return string(b), document, err
}
