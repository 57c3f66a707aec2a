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

// Any marks a value in an expected outcome that each host may choose.
const Any = "*"

// Shower writes documents as JSON in the form that outcomes use. Bytes are {"$bytes": base64}, floats have a point or an
// exponent, a malformed document is {"$hex": …}, and a value that the host chooses is [Any]. The status success is left out,
// because it means the same as no status.
type Shower struct {
	given  map[string]bool // ids that the case names
	failed []string        // error messages of its models and tools
}

// Shower makes a Shower for a case. Ids that the case does not name count as chosen by the host.
func (c *Case) Shower() *Shower {
	s := &Shower{given: map[string]bool{"": true}}
	v, err := tree([]any{c.Agent, c.Runs})
	if err != nil {
		panic("tck: " + err.Error()) // every part of it has a JSON form
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

// Show writes a document. It returns nil if there is none.
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

// value makes the JSON form of the value under a key.
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

// OfScript reports whether a message is about an error of the case's models or tools. Each host words such messages in
// its own way.
func (s *Shower) OfScript(message string) bool {
	return slices.ContainsFunc(s.failed, func(text string) bool { return text != "" && strings.Contains(message, text) })
}

func (s *Shower) text(key, v string) any {
	if key == "run" || key == "idempotency_key" || (key == "id" || key == "tool_call_id") && !s.given[v] {
		return Any
	}
	return v
}

// float is a number that is written in JSON with a point or an exponent.
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
		panic("tck: " + err.Error()) // every part of it has a JSON form
	}
	return b
}
