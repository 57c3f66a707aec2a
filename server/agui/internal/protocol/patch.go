package protocol

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// operation is an operation of a JSON Patch (RFC 6902).
type operation struct {
	Op    string          `json:"op"`
	Path  string          `json:"path"`
	Value json.RawMessage `json:"value,omitempty"`
}

// maxPatched is how deep two values are compared. What differs below is replaced.
const maxPatched = 16

// diff returns the operations that lead from one object to another, whose members are valid JSON.
func diff(before, after map[string]json.RawMessage) []operation {
	return diffObjects("", before, after, 0)
}

func diffObjects(path string, before, after map[string]json.RawMessage, depth int) (out []operation) {
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if _, stays := after[name]; !stays {
			out = append(out, operation{Op: "remove", Path: path + "/" + escaped(name)})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		at := path + "/" + escaped(name)
		was, had := before[name]
		if !had {
			out = append(out, operation{"add", at, after[name]})
			continue
		}
		out = append(out, diffValues(at, was, after[name], depth)...)
	}
	return out
}

// diffValues compares the values at a place.
func diffValues(path string, before, after json.RawMessage, depth int) []operation {
	if bytes.Equal(before, after) {
		return nil
	}
	replaced := []operation{{"replace", path, after}}
	if depth >= maxPatched || len(before) == 0 || len(after) == 0 || before[0] != after[0] {
		return replaced
	}
	switch before[0] {
	case '{':
		var old, now map[string]json.RawMessage
		if json.Unmarshal(before, &old) != nil || json.Unmarshal(after, &now) != nil {
			return replaced
		}
		return shorter(diffObjects(path, old, now, depth+1), replaced, after)
	case '[':
		var old, now []json.RawMessage
		if json.Unmarshal(before, &old) != nil || json.Unmarshal(after, &now) != nil {
			return replaced
		}
		return shorter(diffLists(path, old, now, depth+1), replaced, after)
	default:
		return replaced
	}
}

// diffLists compares lists item by item; items come or go at the end.
func diffLists(path string, before, after []json.RawMessage, depth int) (out []operation) {
	both := min(len(before), len(after))
	for i := range both {
		out = append(out, diffValues(path+"/"+strconv.Itoa(i), before[i], after[i], depth)...)
	}
	for i := len(before) - 1; i >= both; i-- {
		out = append(out, operation{Op: "remove", Path: path + "/" + strconv.Itoa(i)})
	}
	for _, item := range after[both:] {
		out = append(out, operation{"add", path + "/-", item})
	}
	return out
}

// shorter returns the operations, or in their place a new value if that is shorter.
func shorter(operations, replaced []operation, value json.RawMessage) []operation {
	size := 0
	for i := range operations {
		size += len(operations[i].Path) + len(operations[i].Value) + len(`{"op":"replace","path":,"value":}`)
	}
	if size > len(value)+len(replaced[0].Path) {
		return replaced
	}
	return operations
}

// escaped returns a name as a part of a JSON Pointer.
func escaped(name string) string { return pointerEscapes.Replace(name) }

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")
