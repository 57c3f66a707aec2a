package strictyaml

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Schemer is a type that returns its own JSON Schema, because its Go type does not show which forms its values have. The method is
// called on a zero value. A type that decodes itself must be a Schemer to have a schema. The returned schema may contain placeholders:
// a [reflect.Type] stands for the schema of that type, a [KeySchema] for the schema of one key, and a [Described] for a described type.
type Schemer interface{ JSONSchema() map[string]any }

// KeySchema stands for the schema and the description of one key of a struct.
type KeySchema struct {
	Struct reflect.Type
	Key    string
}

// Described stands for the schema of a type with the type's own description.
type Described struct{ Type reflect.Type }

// Former is a struct that also accepts other forms than the mapping of its fields. JSONForms returns the schemas of those forms, which
// may contain the placeholders of a [Schemer].
type Former interface{ JSONForms() []map[string]any }

// Comments returns the description of a struct's field for people, or of the type itself if the field is "". It returns "" if there
// is not a description.
type Comments func(t reflect.Type, field string) string

// SchemaOf returns the JSON Schema of the values that [Decode] accepts for a type, for editors and documents. The tag
// `schema:"default=20,enum=a|b,min=0,max=9"` adds rules that Decode does not check, because the program checks them itself.
func SchemaOf(t reflect.Type, comments Comments) (map[string]any, error) {
	s := schemas{comments: comments, defs: map[string]any{}}
	out, err := s.of(t, rules{})
	if err != nil {
		return nil, err
	}
	if len(s.defs) > 0 {
		out["$defs"] = s.defs
	}
	return out, nil
}

// AllowVariables changes a schema so that it allows ${NAME} where it requires a number or a boolean, for files that are read with [WithEnv].
func AllowVariables(schema any) {
	switch s := schema.(type) {
	case map[string]any:
		if kind, _ := s["type"].(string); kind == "integer" || kind == "number" || kind == "boolean" {
			s["type"], s["pattern"] = []string{kind, "string"}, `\$\{.+\}`
		}
		for key, inner := range s {
			if key != "enum" && key != "default" {
				AllowVariables(inner)
			}
		}
	case []any:
		for _, inner := range s {
			AllowVariables(inner)
		}
	}
}

// Key is a key of a mapping that is decoded into a struct.
type Key struct {
	Name        string
	Schema      map[string]any
	Required    bool
	Description string
}

// KeysOf returns the keys of a struct, in the order of its declaration.
func KeysOf(t reflect.Type, comments Comments) ([]Key, error) {
	s := schemas{comments: comments, defs: map[string]any{}}
	return s.keys(t)
}

type schemas struct {
	comments Comments
	within   []reflect.Type // structs that are being described
	defs     map[string]any // schemas of structs that contain themselves
}

var (
	schemerType = reflect.TypeFor[Schemer]()
	formerType  = reflect.TypeFor[Former]()
)

func (s *schemas) of(t reflect.Type, r rules) (map[string]any, error) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == nodeType, t.Kind() == reflect.Interface:
		return map[string]any{}, nil
	case t.Implements(schemerType):
		schemer, _ := reflect.TypeAssert[Schemer](reflect.Zero(t))
		filled, err := s.fill(schemer.JSONSchema())
		out, _ := filled.(map[string]any)
		return out, err
	case t == durationType:
		return map[string]any{"type": "string", "pattern": `^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`}, nil
	case element(t) != nil:
		return s.values("additionalProperties", "object", element(t), r)
	case t.Implements(formerType):
		return s.forms(t)
	case decodesItself(t) && !isFields(t):
		return nil, fmt.Errorf("%s decodes itself and has no JSONSchema", t)
	}
	switch t.Kind() {
	case reflect.Struct:
		return s.structure(t)
	case reflect.Slice:
		return s.values("items", "array", t.Elem(), r)
	case reflect.Map:
		return s.values("additionalProperties", "object", t.Elem(), r)
	case reflect.String:
		return bounded(map[string]any{"type": "string"}, r), nil
	case reflect.Bool:
		return bounded(map[string]any{"type": "boolean"}, r), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return bounded(map[string]any{"type": "integer"}, r), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return bounded(map[string]any{"type": "integer", "minimum": 0}, r), nil
	case reflect.Float32, reflect.Float64:
		return bounded(map[string]any{"type": "number"}, r), nil
	default:
		return nil, fmt.Errorf("%s has no schema", t)
	}
}

// element returns the type of the values of an [OrderedMap], or nil for any other type.
func element(t reflect.Type) reflect.Type {
	if t.Kind() != reflect.Slice || t.Elem().Kind() != reflect.Struct || !strings.HasPrefix(t.Name(), "OrderedMap[") {
		return nil
	}
	field, ok := t.Elem().FieldByName("Value")
	if !ok {
		return nil
	}
	return field.Type
}

func decodesItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(unmarshalerType) || p.Implements(funcType)
}

// isFields reports whether a type that decodes itself still accepts exactly its fields. Such types decode themselves to keep the node.
func isFields(t reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	fields, err := fieldsOf(t)
	return err == nil && len(fields.list) > 0
}

func (s *schemas) values(key, kind string, of reflect.Type, r rules) (map[string]any, error) {
	inner, err := s.of(of, r.ofElement())
	if err != nil {
		return nil, err
	}
	return map[string]any{"type": kind, key: inner}, nil
}

// fill returns a value with schemas in the place of placeholders. It changes nothing, since types may share parts of what they return.
func (s *schemas) fill(value any) (_ any, err error) {
	switch v := value.(type) {
	case reflect.Type:
		return s.of(v, rules{})
	case Described:
		return s.described(v.Type)
	case KeySchema:
		return s.key(v)
	case map[string]any:
		out := make(map[string]any, len(v))
		for key := range v {
			if out[key], err = s.fill(v[key]); err != nil {
				return nil, err
			}
		}
		return out, nil
	case []any:
		out := make([]any, len(v))
		for i := range v {
			if out[i], err = s.fill(v[i]); err != nil {
				return nil, err
			}
		}
		return out, nil
	default:
		return value, nil
	}
}

// described returns the schema of a type with the type's own description.
func (s *schemas) described(t reflect.Type) (map[string]any, error) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	out, err := s.of(t, rules{})
	if err == nil && s.comments != nil {
		describe(out, s.comments(t, ""))
	}
	return out, err
}

// key returns the schema of one key of a struct, with its description.
func (s *schemas) key(of KeySchema) (map[string]any, error) {
	keys, err := s.keys(of.Struct)
	if err != nil {
		return nil, err
	}
	for _, key := range keys {
		if key.Name == of.Key {
			describe(key.Schema, key.Description)
			return key.Schema, nil
		}
	}
	return nil, fmt.Errorf("%s has no key %q", of.Struct, of.Key)
}

// describe sets the description of a schema.
func describe(schema map[string]any, description string) {
	if description != "" {
		schema["description"] = description
	}
}

// forms returns the schema of a struct that also accepts other forms.
func (s *schemas) forms(t reflect.Type) (map[string]any, error) {
	mapping, err := s.structure(t)
	if err != nil {
		return nil, err
	}
	former, _ := reflect.TypeAssert[Former](reflect.Zero(t))
	anyOf := []any{}
	for _, form := range former.JSONForms() {
		filled, err := s.fill(form)
		if err != nil {
			return nil, err
		}
		anyOf = append(anyOf, filled)
	}
	return map[string]any{"anyOf": append(anyOf, mapping)}, nil
}

func (s *schemas) structure(t reflect.Type) (map[string]any, error) {
	if slices.Contains(s.within, t) {
		s.defs[t.Name()] = nil // the outer call for the same struct fills it in
		return map[string]any{"$ref": "#/$defs/" + t.Name()}, nil
	}
	s.within = append(s.within, t)
	keys, err := s.keys(t)
	s.within = s.within[:len(s.within)-1]
	if err != nil {
		return nil, err
	}
	properties := make(map[string]any, len(keys))
	var required []string
	for _, key := range keys {
		properties[key.Name] = key.Schema
		describe(key.Schema, key.Description)
		if key.Required {
			required = append(required, key.Name)
		}
	}
	out := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if required != nil {
		out["required"] = required
	}
	if _, ok := s.defs[t.Name()]; ok && !slices.Contains(s.within, t) {
		s.defs[t.Name()] = out
		return map[string]any{"$ref": "#/$defs/" + t.Name()}, nil
	}
	return out, nil
}

func (s *schemas) keys(t reflect.Type) ([]Key, error) {
	all, err := fieldsOf(t)
	if err != nil {
		return nil, err
	}
	var out []Key
	for _, f := range all.list {
		declared := t.FieldByIndex(f.index)
		r := f.rules
		fallback := ""
		if tag, ok := declared.Tag.Lookup("schema"); ok {
			if r, fallback, err = documented(r, tag); err != nil {
				return nil, fmt.Errorf("%s.%s: %w", t, declared.Name, err)
			}
		}
		schema, err := s.of(declared.Type, r)
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", t, declared.Name, err)
		}
		if fallback != "" {
			schema["default"] = valueOf(schema, fallback)
		}
		key := Key{Name: f.name, Schema: schema, Required: r.required}
		if s.comments != nil {
			owner := t
			for _, i := range f.index[:len(f.index)-1] {
				owner = owner.Field(i).Type
			}
			key.Description = s.comments(owner, declared.Name)
		}
		out = append(out, key)
	}
	return out, nil
}

// documented adds the options of a schema tag to rules. A default may contain commas, so it must be the last option, or be followed by
// one of the options that cutOptions finds.
func documented(r rules, tag string) (_ rules, fallback string, err error) {
	if i := strings.Index(tag, "default="); i >= 0 {
		tag, fallback = strings.TrimSuffix(tag[:i], ","), tag[i+len("default="):]
		if rest, options, ok := cutOptions(fallback); ok {
			fallback = rest
			tag = strings.TrimPrefix(tag+","+options, ",")
		}
	}
	said, err := parseRules(tag)
	if err != nil {
		return r, "", err
	}
	r.required = r.required || said.required
	if said.enum != nil {
		r.enum = said.enum
	}
	if said.min != "" {
		r.min = said.min
	}
	if said.max != "" {
		r.max = said.max
	}
	return r, fallback, nil
}

// cutOptions splits a default from the options after it.
func cutOptions(text string) (before, options string, found bool) {
	for _, option := range []string{",enum=", ",min=", ",max=", ",required"} {
		if i := strings.Index(text, option); i >= 0 {
			return text[:i], text[i+1:], true
		}
	}
	return text, "", false
}

// bounded adds the enum and the bounds of rules to a schema.
func bounded(schema map[string]any, r rules) map[string]any {
	if r.enum != nil {
		schema["enum"] = r.enum
	}
	if kind := schema["type"]; kind == "integer" || kind == "number" {
		for key, bound := range map[string]string{"minimum": r.min, "maximum": r.max} {
			if bound != "" {
				schema[key] = valueOf(schema, bound)
			}
		}
	}
	return schema
}

// valueOf converts the text of a tag to a value of a schema: the text itself if the schema is that of a string, otherwise its JSON.
func valueOf(schema map[string]any, text string) any {
	if schema["type"] == "string" {
		return text
	}
	var value any
	if json.Unmarshal([]byte(text), &value) != nil {
		return text
	}
	return value
}

// JSONSchema returns the schema of a size.
func (Size) JSONSchema() map[string]any {
	return map[string]any{"type": []string{"string", "integer"}, "pattern": `^[0-9]+ ?([kMGT]?B|[KMGT]iB)?$`, "minimum": 0}
}

// JSONSchema returns the schema of a count.
func (Count) JSONSchema() map[string]any {
	return map[string]any{"type": []string{"string", "integer"}, "pattern": `^[0-9]+ ?[kMGT]?$`, "minimum": 0}
}
