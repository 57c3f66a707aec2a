package manifest

import (
	"fmt"
	"slices"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// responseFormatEntry asks for a structured answer. Its keys are the parameters of LangChain's strategies.
type responseFormatEntry struct {
	// how the model is made to return the value: by a tool call, by its provider, or (auto, the default) in the way that it supports
	Strategy string `yaml:"strategy" strict:"enum=auto|tool|provider"`
	// a JSON Schema, or the path of a JSON file; the title of the schema is the name of the tool
	Schema  schemaEntry   `yaml:"schema"`
	Schemas []schemaEntry `yaml:"schemas"` // several schemas, of which the model chooses one
	// true: the provider makes the answer fit exactly; providers then refuse some schemas
	Strict bool `yaml:"strict"`
	// the answer to the tool call that brings the value; default: the value
	ToolMessageContent string `yaml:"tool_message_content"`
	// what happens after a tool call whose value does not fit. true (the default): the call is answered with the error. false: the run
	// fails. A text is the answer; a list names the kinds of errors to answer
	HandleErrors handleErrorsEntry `yaml:"handle_errors"`

	node strictyaml.Node
}

// UnmarshalStrict keeps the places of the keys.
func (e *responseFormatEntry) UnmarshalStrict(n strictyaml.Node) error {
	e.node = n
	type fields responseFormatEntry
	if err := n.Decode((*fields)(e)); err != nil {
		return err
	}
	if e.Schema.isZero() == (len(e.Schemas) == 0) {
		return n.Errorf("a response format needs either schema or schemas, and not both")
	}
	return nil
}

// schemaEntry is a JSON Schema, or the path of a JSON file with one.
type schemaEntry struct {
	value map[string]any
	file  string
	node  strictyaml.Node
}

func (e *schemaEntry) isZero() bool { return e.value == nil && e.file == "" }

// UnmarshalStrict decodes either form.
func (e *schemaEntry) UnmarshalStrict(n strictyaml.Node) error {
	e.node = n
	if n.Kind() == strictyaml.KindString {
		return n.Decode(&e.file)
	}
	return n.Decode(&e.value)
}

// handleErrorsEntry says what happens after an unusable value: true, false, an answer, or the kinds of errors to answer.
type handleErrorsEntry struct {
	onError func(error) (string, bool) // nil: the default
}

// UnmarshalStrict decodes any of the forms.
func (e *handleErrorsEntry) UnmarshalStrict(n strictyaml.Node) error {
	switch n.Kind() {
	case strictyaml.KindBool:
		var handle bool
		if err := n.Decode(&handle); err != nil {
			return err
		}
		if !handle {
			e.onError = host.AnswerErrorKinds()
		}
		return nil
	case strictyaml.KindString:
		var answer string
		err := n.Decode(&answer)
		e.onError = host.AnswerErrors(answer)
		return err
	case strictyaml.KindList:
		var given []errorKind
		err := n.Decode(&given)
		kinds := make([]host.StructuredErrorKind, len(given))
		for i := range given {
			kinds[i] = host.StructuredErrorKind(given[i])
		}
		e.onError = host.AnswerErrorKinds(kinds...)
		return err
	default:
		return n.Errorf("handle_errors must be true, false, a text for the model, or a list of kinds of errors")
	}
}

// errorKind is a kind of error that can be answered.
type errorKind string

// CheckStrict requires a known kind.
func (k *errorKind) CheckStrict(n strictyaml.Node) error {
	known := []string{string(host.StructuredInvalid), string(host.StructuredMultiple)}
	if !slices.Contains(known, string(*k)) {
		return n.Unknown("kind of error", known)
	}
	return nil
}

// build makes the format for the host, or returns nil if the manifest has none.
func (e *responseFormatEntry) build(m *Manifest) (*model.ResponseFormat, error) {
	if e.node.IsZero() {
		return nil, nil //nolint:nilnil // answers are texts
	}
	out := &model.ResponseFormat{Strategy: model.Strategy(e.Strategy), ToolMessage: e.ToolMessageContent, OnError: e.HandleErrors.onError}
	schemas := e.Schemas
	if !e.Schema.isZero() {
		schemas = []schemaEntry{e.Schema}
	}
	for i := range schemas {
		raw, err := schemas[i].raw(m)
		if err != nil {
			return nil, located(schemas[i].node, err)
		}
		out.Formats = append(out.Formats, model.Format{Schema: raw, Strict: e.Strict})
	}
	return out, nil
}

// raw returns the schema as a document.
func (e *schemaEntry) raw(m *Manifest) (wire.Raw, error) {
	if e.file == "" {
		return host.Encode(e.value)
	}
	data, err := m.readFile(m.path(e.file), "a JSON Schema")
	if err != nil {
		return nil, err
	}
	raw, err := wire.FromJSON(data, wire.DefaultLimits)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.file, err)
	}
	return raw, nil
}
