package a2a

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/agenthost/agenthost/internal/lazyregexp"
)

// snake matches a name of a member as the protocol's definition in Protocol Buffers has it, before its colon.
var snake = lazyregexp.New(`"[a-z]+(_[a-z]+)+"\s*:`)

// camel returns a body of JSON with the names of members that the library knows: JSON that stands for Protocol Buffers may have either form, and some
// clients send task_id for taskId. What clients may name as they like, in metadata and in data, stays.
func camel(body []byte) []byte {
	if !snake().Match(body) {
		return body
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var document any
	if decoder.Decode(&document) != nil {
		return body // the library says what is wrong
	}
	out, err := json.Marshal(renamed(document))
	if err != nil {
		return body
	}
	return out
}

func renamed(value any) any {
	switch v := value.(type) {
	case []any:
		for i := range v {
			v[i] = renamed(v[i])
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, member := range v {
			if name != "metadata" && name != "data" {
				member = renamed(member)
			}
			other := camelCase(name)
			if _, there := v[other]; other != name && there {
				continue // given in both forms
			}
			out[other] = member
		}
		return out
	}
	return value
}

// camelCase returns taskId for task_id.
func camelCase(name string) string {
	words := strings.Split(name, "_")
	for i, word := range words[1:] {
		if word != "" {
			words[i+1] = strings.ToUpper(word[:1]) + word[1:]
		}
	}
	return strings.Join(words, "")
}
