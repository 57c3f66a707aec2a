package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/schema"
)

// parametersOf turns a server's input schema into one that the host can check arguments against: an object without references.
// The server itself checks the parts that are left out.
func parametersOf(given any) (wire.Raw, error) {
	root, ok := given.(map[string]any)
	if !ok {
		return nil, errors.New("its input schema is not an object")
	}
	p := plainer{root: root}
	plain, err := p.schema(root, 0)
	if err != nil {
		return nil, fmt.Errorf("its input schema %w", err)
	}
	object, ok := plain.(map[string]any)
	switch kind, said := object["type"]; {
	case !ok, said && kind != "object":
		return nil, errors.New(`its input schema does not have the type "object"`)
	case !said:
		object["type"] = "object"
	}
	text, err := json.Marshal(object)
	if err != nil {
		return nil, fmt.Errorf("its input schema: %w", err)
	}
	if len(text) > schema.MaxUntrustedBytes {
		return nil, fmt.Errorf("its input schema has %d bytes; %d are allowed", len(text), schema.MaxUntrustedBytes)
	}
	raw, err := wire.FromJSON(text, wire.Limits{MaxBytes: schema.MaxUntrustedBytes, MaxDepth: schema.MaxUntrustedDepth})
	if err != nil {
		return nil, fmt.Errorf("its input schema: %w", err)
	}
	if _, err := schema.CompileUntrusted(raw); err != nil {
		return nil, fmt.Errorf("its input %w", err)
	}
	return raw, nil
}

// maxNodes is how many subschemas a schema may have once its references are expanded.
const maxNodes = 4096

// plainer expands the references of a schema.
type plainer struct {
	root  map[string]any
	open  []string // references being expanded at the moment
	nodes int
}

// These keywords hold a schema, a list of schemas, or a map from names to schemas. No other keyword holds schemas.
var (
	schemaKeys = []string{
		"additionalItems", "additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then",
		"unevaluatedItems", "unevaluatedProperties",
	}
	listKeys = []string{"allOf", "anyOf", "items", "oneOf", "prefixItems"}
	mapKeys  = []string{"dependentSchemas", "patternProperties", "properties"}
	// droppedKeys do not constrain a value, or only define other schemas.
	droppedKeys = []string{
		"$anchor", "$comment", "$defs", "$dynamicAnchor", "$id", "$ref", "$schema", "$vocabulary", "contentEncoding",
		"contentMediaType", "contentSchema", "definitions", "id",
	}
)

func (p *plainer) schema(given any, depth int) (any, error) {
	p.nodes++
	switch {
	case p.nodes > maxNodes:
		return nil, fmt.Errorf("has more than %d parts", maxNodes)
	case depth > schema.MaxUntrustedDepth:
		return nil, fmt.Errorf("is more than %d levels deep", schema.MaxUntrustedDepth)
	}
	node, ok := given.(map[string]any)
	if !ok {
		return given, nil // a boolean, or something that the check refuses
	}
	out := map[string]any{}
	if ref, ok := node["$ref"].(string); ok {
		if slices.Contains(p.open, ref) { // recursive: accept anything
			return described(node), nil
		}
		target, err := p.find(ref)
		if err != nil {
			return nil, err
		}
		p.open = append(p.open, ref)
		plain, err := p.schema(target, depth+1)
		p.open = p.open[:len(p.open)-1]
		if err != nil {
			return nil, err
		}
		if written, ok := plain.(map[string]any); ok {
			out = written
		} else if plain == false {
			return plain, nil
		}
	}
	for _, key := range slices.Sorted(maps.Keys(node)) {
		value, keep, err := p.keyword(key, node[key], depth)
		if err != nil {
			return nil, err
		}
		if keep {
			out[key] = value
		}
	}
	return out, nil
}

// described returns a schema that accepts everything and keeps the description of node.
func described(node map[string]any) map[string]any {
	if text, ok := node["description"].(string); ok {
		return map[string]any{"description": text}
	}
	return map[string]any{}
}

// keyword expands the value of one keyword; keep is false if the keyword is dropped.
func (p *plainer) keyword(key string, value any, depth int) (plain any, keep bool, err error) {
	switch typed := value.(type) {
	case map[string]any:
		if slices.Contains(mapKeys, key) {
			out := make(map[string]any, len(typed))
			for _, name := range slices.Sorted(maps.Keys(typed)) {
				if out[name], err = p.schema(typed[name], depth+1); err != nil {
					return nil, false, err
				}
			}
			return out, true, nil
		}
		if slices.Contains(schemaKeys, key) {
			plain, err = p.schema(typed, depth+1)
			return plain, true, err
		}
	case []any:
		if slices.Contains(listKeys, key) {
			out := make([]any, len(typed))
			for i := range typed {
				if out[i], err = p.schema(typed[i], depth+1); err != nil {
					return nil, false, err
				}
			}
			return out, true, nil
		}
	case string:
		if key == "pattern" { // its dialect may differ from Go's
			_, refused := regexp.Compile(typed)
			return value, refused == nil, nil
		}
	}
	return value, !slices.Contains(droppedKeys, key), nil
}

// find returns the schema that a reference within the document points to.
func (p *plainer) find(ref string) (any, error) {
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil, fmt.Errorf("refers to %.100q, which is outside the schema", ref)
	}
	var at any = p.root
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if part == "" && pointer == "" {
			break
		}
		part = strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
		node, ok := at.(map[string]any)
		if ok {
			at, ok = node[part]
		}
		if !ok {
			return nil, fmt.Errorf("refers to %.100q, which does not exist", ref)
		}
	}
	return at, nil
}
