// Package catalog tells people of the built-in middleware: what the registry, the types of its configurations and the
// comments in their sources say.
package catalog

import (
	"encoding/json"
	"fmt"
	"maps"
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
	Example     string         `json:"example"`

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
		Name: entry.Name, Aliases: entry.Aliases, Summary: entry.Summary, Example: entry.Example, doc: raw(config, ""),
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
	for i := range keys {
		m.add("", &keys[i])
	}
	return m, nil
}

// maxDepth bounds how deep keys of mappings inside mappings are told of.
const maxDepth = 3

// add adds a key, and those inside it.
func (m *Middleware) add(prefix string, key *strictyaml.Key) {
	name := prefix + key.Name
	k := Key{Name: name, Type: typeOf(key.Schema), Required: key.Required, Description: key.Description}
	if fallback, ok := key.Schema["default"]; ok {
		if text, err := json.Marshal(fallback); err == nil {
			k.Default = string(text)
		}
	}
	m.Keys = append(m.Keys, k)
	inner, suffix := mappingIn(key.Schema)
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
		})
	}
}

// mappingIn finds the mapping with known keys in a schema, and how one gets there.
func mappingIn(schema map[string]any) (mapping map[string]any, suffix string) {
	if schema["properties"] != nil {
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
	if forms, ok := schema["anyOf"].([]any); ok {
		for _, form := range forms {
			if f, ok := form.(map[string]any); ok {
				if inner, rest := mappingIn(f); inner != nil {
					return inner, rest
				}
			}
		}
	}
	return nil, ""
}

// typeOf says in words what values a schema has.
func typeOf(schema map[string]any) string {
	if forms, ok := schema["anyOf"].([]any); ok {
		var out []string
		for _, form := range forms {
			if f, ok := form.(map[string]any); ok && !slices.Contains(out, typeOf(f)) {
				out = append(out, typeOf(f))
			}
		}
		return strings.Join(out, " or ")
	}
	if values, ok := schema["enum"].([]string); ok {
		return strings.Join(values, ", ")
	}
	switch kind := schema["type"].(type) {
	case string:
		return kindText(kind, schema)
	case []string:
		out := make([]string, len(kind))
		for i := range kind {
			out[i] = kindText(kind[i], schema)
		}
		return strings.Join(out, " or ")
	default:
		return "any"
	}
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
