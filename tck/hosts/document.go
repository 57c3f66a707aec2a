package hosts

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// Any is what stands in an expected outcome where a host may have a value of its own.
const Any = "*"

// A Shower writes documents as JSON, as outcomes show them: bytes are {"$bytes": base64}, floats have a point or an exponent,
// a document that is malformed is {"$hex": …}, and a value that a host chooses is [Any]. The status success, which is the
// same as none, is left out.
type Shower struct {
	given  map[string]bool // ids that the case names
	failed []string        // messages of the errors of its models and tools
}

// Shower makes a shower of a case: ids that the case does not name are the host's own.
func (c *Case) Shower() *Shower {
	s := &Shower{given: map[string]bool{"": true}}
	v, err := tree([]any{c.Agent, c.Runs})
	if err != nil {
		panic("tck: " + err.Error()) // it is made of what JSON can say
	}
	s.note(v)
	for _, t := range c.Agent.Tools {
		s.failed = append(s.failed, t.Error)
	}
	for _, turns := range append(slices.Collect(maps.Values(c.Agent.Models)), c.Agent.Model) {
		for _, turn := range turns {
			s.failed = append(s.failed, turn.Error)
		}
	}
	return s
}

// note collects the ids that a case names.
func (s *Shower) note(v any) {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if id, ok := value.(string); ok && (key == "id" || key == "tool_call_id") {
				s.given[id] = true
			}
			s.note(value)
		}
	case []any:
		for _, item := range v {
			s.note(item)
		}
	}
}

// Show writes a document; nil of no document.
func (s *Shower) Show(doc []byte) json.RawMessage {
	if len(doc) == 0 {
		return nil
	}
	v, err := wire.Raw(doc).Value()
	if err != nil {
		return text(map[string]any{"$hex": hex.EncodeToString(doc)})
	}
	return text(s.value("", v))
}

// value makes JSON's form of a value that stands under a key.
func (s *Shower) value(key string, v any) any {
	switch v := v.(type) {
	case []byte:
		return map[string]any{"$bytes": base64.StdEncoding.EncodeToString(v)}
	case float64:
		return float(v)
	case uint64, int64:
		if key == "now" || key == "seed" || key == "unix_ns" || key == "version" {
			return Any
		}
		return v
	case string:
		return s.text(key, v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = s.value(map[bool]string{true: "id"}[key == "remove"], v[i])
		}
		return out
	case map[string]any:
		return s.object(v)
	default:
		return v
	}
}

func (s *Shower) object(v map[string]any) any {
	out := map[string]any{}
	for k, value := range v {
		if k != "status" || value != abi.StatusSuccess {
			out[k] = s.value(k, value)
		}
	}
	message, _ := v["message"].(string)
	kind, isError := v["type"].(string)
	if isError && (s.OfScript(message) || strings.HasPrefix(kind, "plugin_")) {
		out["message"] = Any
		if s.OfScript(message) {
			out["type"] = Any
		}
	}
	return out
}

// OfScript reports whether a message tells of an error of the case's models or tools: a host has words of its own for it.
func (s *Shower) OfScript(message string) bool {
	return slices.ContainsFunc(s.failed, func(text string) bool { return text != "" && strings.Contains(message, text) })
}

func (s *Shower) text(key, v string) any {
	if key == "run" || key == "idempotency_key" || (key == "id" || key == "tool_call_id") && !s.given[v] {
		return Any
	}
	return v
}

// float is a number that JSON shows with a point or an exponent.
type float float64

// MarshalJSON gives the JSON form.
func (f float) MarshalJSON() ([]byte, error) {
	b := strconv.AppendFloat(nil, float64(f), 'g', -1, 64)
	if !bytes.ContainsAny(b, ".e") {
		b = append(b, ".0"...)
	}
	return b, nil
}

func text(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic("tck: " + err.Error()) // it is made of what JSON can say
	}
	return b
}
