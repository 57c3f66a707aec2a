package manifest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/agenthost/agenthost/internal/lazyregexp"
	"github.com/agenthost/agenthost/internal/mask"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// Value is one value of a manifest, in a list of all.
type Value struct {
	Key    string `json:"key"`    // its path, such as middleware[0].pii.strategy
	Value  string `json:"value"`  // as an assignment takes it; *** for a secret; variables as they are written
	Origin string `json:"origin"` // FILE:LINE:COLUMN, the flag that set it, or [OriginDefault]
}

// OriginDefault is the origin of a value that the manifest does not set.
const OriginDefault = "default"

// Values lists the values of the manifest in the order of the file, after the assignments of [Options]. With defaults, it adds
// after the keys of each mapping those that the mapping leaves out, if they have a fixed default. The list also has the address
// of a model that an environment variable sets and, with defaults, the address of every model of a provider, without a password
// or a query, and its limits. It never shows the value of a variable, which may be a secret.
func (m *Manifest) Values(defaults bool) ([]Value, error) {
	l := listing{}
	if defaults {
		schema, err := Schema(nil)
		if err != nil {
			return nil, err
		}
		l.add(m.root, schema)
	} else {
		l.add(m.root, nil)
	}
	if err := m.addModels(&l, defaults); err != nil {
		return nil, err
	}
	hideArguments(l.values)
	return l.values, nil
}

// argument matches the key of an argument of a command.
var argument = lazyregexp.New(`^(.*\bcommand)\[\d+\]$`)

// hideArguments hides the arguments of commands that a flag names as secret, such as --token.
func hideArguments(values []Value) {
	commands := map[string][]string{}
	for _, v := range values {
		if at := argument().FindStringSubmatch(v.Key); at != nil {
			commands[at[1]] = append(commands[at[1]], v.Value)
		}
	}
	for i := range values {
		if at := argument().FindStringSubmatch(values[i].Key); at != nil {
			hidden := mask.Of(1, mask.Arguments(commands[at[1]])...)
			values[i].Value, values[i].Origin = hidden.Text(values[i].Value), hidden.Text(values[i].Origin)
		}
	}
}

// listing collects values. Schemas are nil where no defaults are known.
type listing struct{ values []Value }

func (l *listing) add(n strictyaml.Node, schema map[string]any) {
	switch {
	case n.Len() == 0:
		l.values = append(l.values, Value{n.Path(), n.Shown(), n.Origin()})
	case n.Kind() == strictyaml.KindList:
		items, _ := schema["items"].(map[string]any)
		for _, item := range n.Items() {
			l.add(item, items)
		}
	default:
		form := formFor(schema, n)
		for _, key := range n.Keys() {
			value, _ := n.Get(key)
			l.add(value, propertyOf(form, key))
		}
		l.addDefaults(n.Path(), n.Keys(), form)
	}
}

// addDefaults adds the defaults of keys that are not given. A mapping of the manifest itself, such as tool_calls, has defaults without being
// given; one further inside, such as the sampling of an MCP server, is off then. A mapping of one key, such as a tool, has no further keys.
func (l *listing) addDefaults(path string, given []string, form map[string]any) {
	if form["maxProperties"] == 1 && len(given) > 0 {
		return
	}
	properties, _ := form["properties"].(map[string]any)
	dependent, _ := form["dependentRequired"].(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(properties)) {
		needs, _ := dependent[key].([]string)
		if slices.Contains(given, key) || slices.ContainsFunc(needs, func(other string) bool { return !slices.Contains(given, other) }) {
			continue
		}
		property, inside := propertyOf(form, key), key
		if path != "" {
			inside = path + "." + key
		}
		if fallback, ok := property["default"]; ok {
			l.values = append(l.values, Value{inside, shownDefault(fallback), OriginDefault})
		} else if path == "" && property["properties"] != nil && property["required"] == nil {
			l.addDefaults(inside, nil, property)
		}
	}
}

// formFor returns the schema of a mapping: the schema itself, or its alternative that has the keys of the mapping and allows their values.
func formFor(schema map[string]any, n strictyaml.Node) map[string]any {
	if schema["properties"] != nil {
		return schema
	}
	forms, _ := schema["anyOf"].([]any)
	for _, form := range forms {
		form, _ := form.(map[string]any)
		found := formFor(form, n)
		if found != nil && !slices.ContainsFunc(n.Keys(), func(key string) bool { return !allows(propertyOf(found, key), n, key) }) {
			return found
		}
	}
	return nil
}

// allows reports whether a property is there, and one of its values if it has a list of them.
func allows(property map[string]any, n strictyaml.Node, key string) bool {
	values, listed := property["enum"].([]string)
	value, _ := n.Get(key)
	return property != nil && (!listed || slices.Contains(values, value.Shown()))
}

func propertyOf(form map[string]any, key string) map[string]any {
	properties, _ := form["properties"].(map[string]any)
	property, _ := properties[key].(map[string]any)
	return property
}

// shownDefault writes a default as an assignment takes it.
func shownDefault(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}
