// Package catalog tells people of the built-in middleware: what the registry, the types of its configurations and the
// comments in their sources say.
package catalog

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// Middleware is what there is to tell of a built-in middleware.
type Middleware struct {
	Name        string         `json:"name"`
	Aliases     []string       `json:"aliases,omitempty"`
	Summary     string         `json:"summary"`
	Description string         `json:"description"`
	Keys        []Key          `json:"-"` // of its configuration, those of mappings inside it behind theirs
	Schema      map[string]any `json:"schema"`
	Example     string         `json:"example"` // keys of a manifest

	doc string // as the source has it
}

// Key is a key of a configuration.
type Key struct {
	Name        string // "edits[].trigger" is a key of each item of edits
	Type        string
	Default     string // as JSON; "": it says in its description what follows where it is not given
	Required    bool
	Description string
}

// All returns all built-in middleware, sorted by name.
func All() ([]Middleware, error) {
	var out []Middleware
	for _, entry := range builtin.Registry() {
		m, err := of(&entry)
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}

// Find returns the middleware of a name or alias.
func Find(name string) (m Middleware, found bool, err error) {
	entry, ok := builtin.Lookup(name)
	if !ok {
		return m, false, nil
	}
	m, err = of(&entry)
	return m, true, err
}

func of(entry *builtin.Entry) (Middleware, error) {
	config := reflect.TypeOf(entry.New()).Elem()
	m := Middleware{
		Name: entry.Name, Aliases: entry.Aliases, Summary: entry.Summary, Example: entry.Excerpt(),
		doc: namedAs(entry.Name, raw(config, ""), config.Name()),
	}
	m.Description = wrapped(m.doc)
	var err error
	if m.Schema, err = strictyaml.SchemaOf(config, Comment); err != nil {
		return m, fmt.Errorf("%s: %w", entry.Name, err)
	}
	keys, err := strictyaml.KeysOf(config, Comment)
	if err != nil {
		return m, fmt.Errorf("%s: %w", entry.Name, err)
	}
	defs, _ := m.Schema["$defs"].(map[string]any)
	for i := range keys {
		m.add("", &keys[i], defs)
	}
	return m, nil
}

// namedAs puts the name of a middleware in place of its type in Go, with which its doc comment begins.
func namedAs(name, doc, goType string) string {
	if rest, found := strings.CutPrefix(doc, goType+" "); found {
		return name + " " + rest
	}
	return doc
}

// maxDepth bounds how deep keys of mappings inside mappings are told of.
const maxDepth = 3

// add adds a key, and those inside it. A mapping that may contain itself is in defs, and its keys are told of once.
func (m *Middleware) add(prefix string, key *strictyaml.Key, defs map[string]any) {
	name := prefix + key.Name
	k := Key{Name: name, Type: typeOf(key.Schema), Required: key.Required, Description: key.Description}
	if fallback, ok := key.Schema["default"]; ok {
		if text, err := json.Marshal(fallback); err == nil {
			k.Default = string(text)
		}
	}
	m.Keys = append(m.Keys, k)
	inner, suffix := mappingIn(key.Schema)
	if ref, ok := inner["$ref"].(string); ok {
		inner, _ = defs[path.Base(ref)].(map[string]any)
		defs = nil
	}
	properties, ok := inner["properties"].(map[string]any)
	if !ok || strings.Count(name, ".") >= maxDepth {
		return
	}
	required, _ := inner["required"].([]string)
	for _, property := range slices.Sorted(maps.Keys(properties)) {
		schema, _ := properties[property].(map[string]any)
		description, _ := schema["description"].(string)
		m.add(name+suffix+".", &strictyaml.Key{
			Name: property, Schema: schema, Description: description, Required: slices.Contains(required, property),
		}, defs)
	}
}

// mappingIn finds the mapping with known keys in a schema, and how one gets there.
func mappingIn(schema map[string]any) (mapping map[string]any, suffix string) {
	if schema["properties"] != nil || schema["$ref"] != nil {
		return schema, ""
	}
	if items, ok := schema["items"].(map[string]any); ok {
		inner, rest := mappingIn(items)
		return inner, "[]" + rest
	}
	if values, ok := schema["additionalProperties"].(map[string]any); ok {
		inner, rest := mappingIn(values)
		return inner, ".*" + rest
	}
	for _, form := range formsOf(schema) {
		if inner, rest := mappingIn(form); inner != nil {
			return inner, rest
		}
	}
	return nil, ""
}

// formsOf are the alternatives of a schema that has some.
func formsOf(schema map[string]any) (forms []map[string]any) {
	for _, key := range []string{"anyOf", "oneOf"} {
		list, _ := schema[key].([]any)
		for _, form := range list {
			if f, ok := form.(map[string]any); ok {
				forms = append(forms, f)
			}
		}
	}
	return forms
}

// typeOf says in words what values a schema has.
func typeOf(schema map[string]any) string {
	var out []string
	for _, form := range formsOf(schema) {
		if kind := typeOf(form); !slices.Contains(out, kind) {
			out = append(out, kind)
		}
	}
	if out != nil {
		return strings.Join(out, " or ")
	}
	if value, ok := schema["const"]; ok {
		return fmt.Sprint(value)
	}
	if values := textsOf(schema["enum"]); values != nil {
		return strings.Join(values, ", ")
	}
	kinds := textsOf(schema["type"])
	if schema["$ref"] != nil {
		return "mapping"
	}
	if kinds == nil {
		return "any"
	}
	for i := range kinds {
		kinds[i] = kindText(kinds[i], schema)
	}
	return strings.Join(kinds, " or ")
}

// textsOf are the texts of a value of a schema that is one or a list of them.
func textsOf(value any) (texts []string) {
	switch v := value.(type) {
	case string:
		return []string{v}
	case []string:
		return slices.Clone(v)
	case []any:
		for _, item := range v {
			texts = append(texts, fmt.Sprint(item))
		}
	}
	return texts
}

func kindText(kind string, schema map[string]any) string {
	switch kind {
	case "array":
		if items, ok := schema["items"].(map[string]any); ok {
			return "list of " + typeOf(items)
		}
		return "list"
	case "object":
		if values, ok := schema["additionalProperties"].(map[string]any); ok {
			return "mapping of " + typeOf(values)
		}
		return "mapping"
	default:
		return kind
	}
}
