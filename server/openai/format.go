package openai

import (
	"encoding/json"
	"slices"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/schema"
	"github.com/agenthost/agenthost/runs"
)

// format is the form in which a client wants the answer.
type format struct {
	kind   string         // text, json_object or json_schema
	schema *schema.Schema // nil: any object
}

// formatDocument is response_format of a chat completion, or text.format of a response, which has the members of json_schema itself.
type formatDocument struct {
	Type       string `json:"type"`
	JSONSchema *struct {
		Schema json.RawMessage `json:"schema"`
	} `json:"json_schema"`
	Schema json.RawMessage `json:"schema"`
}

// formatOf reads a format. param names the member in errors.
func formatOf(raw json.RawMessage, param string) (*format, error) {
	if !given(raw) {
		return &format{kind: "text"}, nil
	}
	var d formatDocument
	if err := json.Unmarshal(raw, &d); err != nil {
		return nil, invalid(param, "%s cannot be read: %v", param, err)
	}
	f := &format{kind: d.Type}
	switch d.Type {
	case "text":
		return f, nil
	case "json_object":
	case "json_schema":
		text := d.Schema
		if d.JSONSchema != nil {
			text = d.JSONSchema.Schema
		}
		if !given(text) {
			return nil, invalid(param, "%s has the type json_schema and needs a schema", param)
		}
		value, err := wire.FromJSON(text, wire.Limits{})
		if err != nil {
			return nil, invalid(param, "the schema of %s cannot be used: %v", param, err)
		}
		if f.schema, err = schema.CompileUntrusted(value); err != nil {
			return nil, invalid(param, "the schema of %s cannot be used: %v", param, err)
		}
	default:
		return nil, invalid(param, "%s has the type %.64q; use text, json_object or json_schema", param, d.Type)
	}
	return f, nil
}

// suits checks that the agent can answer in the format: one of its own has all members that the client's schema requires.
func (f *format) suits(agent *runs.Agent, param string) error {
	if !f.json() {
		return nil
	}
	own := agent.ResponseFormats()
	if len(own) == 0 {
		return invalid(param, "the agent %q answers with texts, so it cannot answer in JSON; leave out %s, or give the agent a response_format in its manifest",
			agent.Name, param)
	}
	required := required(f.schema)
	missing := ""
	for i := range own {
		at := slices.IndexFunc(required, func(name string) bool { return own[i].Schema.Get("properties").Get(name).IsZero() })
		if at < 0 {
			return nil
		}
		missing = required[at]
	}
	return invalid(param, "the schema of %s requires %q, which the answers of the agent %q do not have; use the schema of the agent's response_format",
		param, missing, agent.Name)
}

// required returns the members that a schema requires of an object.
func required(s *schema.Schema) (names []string) {
	if s == nil {
		return nil
	}
	all, _ := s.Raw().Get("required").Items()
	for _, one := range all {
		if name, ok := one.AsString(); ok {
			names = append(names, name)
		}
	}
	return names
}

// json reports whether the answer is to be a value.
func (f *format) json() bool { return f.kind != "text" }

// check checks an answer against the client's schema.
func (f *format) check(value json.RawMessage) error {
	if f.schema == nil || value == nil {
		return nil
	}
	v, err := wire.FromJSON(value, wire.Limits{})
	if err != nil {
		return err
	}
	return f.schema.Validate(v)
}
