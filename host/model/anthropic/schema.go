package anthropic

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// enforced lists the keys of a JSON Schema that the API can enforce in an answer, and others that it accepts:
// https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations. It refuses all others.
var enforced = map[string]bool{
	"$defs": true, "$ref": true, "additionalProperties": true, "allOf": true, "anyOf": true, "const": true, "default": true,
	"definitions": true, "description": true, "enum": true, "items": true, "pattern": true, "properties": true, "required": true,
	"title": true, "type": true,
}

// silent lists keys that do not constrain a value.
var silent = []string{"$comment", "$id", "$schema"}

// formats lists the string formats that the API can enforce.
var formats = []string{"date", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "time", "uri", "uuid"}

// enforceable converts a schema to one that the API can enforce: objects allow only their listed keys, oneOf becomes anyOf,
// and the description states what cannot be enforced. Anthropic's SDK has a similar function, but it gives up at a list of
// types, and loses definitions next to a reference.
func enforceable(schema object) object {
	if ref, ok := schema["$ref"]; ok { // the API allows no other keys next to it
		schema = object{"$ref": ref, "$defs": schema["$defs"], "definitions": schema["definitions"]}
		maps.DeleteFunc(schema, func(_ string, value any) bool { return value == nil })
	}
	out, told := make(object, len(schema)), object{}
	for key, value := range schema {
		switch one, isNumber := value.(int64); {
		case key == "oneOf" && schema["anyOf"] == nil:
			out["anyOf"] = inList(value)
		case key == "anyOf", key == "allOf":
			out[key] = inList(value)
		case key == "properties", key == "$defs", key == "definitions":
			out[key] = inObject(value)
		case key == "items", key == "additionalProperties":
			out[key] = inside(value)
		case enforced[key], key == "minItems" && isNumber && one <= 1, key == "format" && isFormat(value):
			out[key] = value
		case !slices.Contains(silent, key):
			told[key] = value
		}
	}
	if _, ok := out["additionalProperties"]; isObject(schema) && (!ok || out["properties"] != nil) {
		out["additionalProperties"] = false
	}
	if len(told) > 0 {
		tell(out, told)
	}
	return out
}

// tell adds what cannot be enforced to the description.
func tell(schema, what object) {
	parts := make([]string, 0, len(what))
	for _, key := range slices.Sorted(maps.Keys(what)) {
		if value, err := json.Marshal(what[key]); err == nil {
			parts = append(parts, key+": "+string(value))
		}
	}
	text := "{" + strings.Join(parts, ", ") + "}"
	if before, ok := schema["description"].(string); ok && before != "" {
		text = before + "\n\n" + text
	}
	schema["description"] = text
}

func isObject(schema object) bool {
	if types, ok := schema["type"].([]any); ok {
		return slices.Contains(types, any("object"))
	}
	return schema["type"] == "object" || schema["type"] == nil && schema["properties"] != nil
}

func isFormat(value any) bool {
	format, ok := value.(string)
	return ok && slices.Contains(formats, format)
}

// inside converts a nested schema.
func inside(schema any) any {
	if of, ok := schema.(map[string]any); ok {
		return enforceable(of)
	}
	return schema
}

func inList(schemas any) any {
	list, ok := schemas.([]any)
	if !ok {
		return schemas
	}
	out := make([]any, len(list))
	for i := range list {
		out[i] = inside(list[i])
	}
	return out
}

func inObject(schemas any) any {
	of, ok := schemas.(map[string]any)
	if !ok {
		return schemas
	}
	out := make(object, len(of))
	for key, schema := range of {
		out[key] = inside(schema)
	}
	return out
}
