package builtin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/history"
	"github.com/agenthost/agenthost/host/model"
)

// SelectionFallback says which tools are offered when the selecting model has not returned a list. In a manifest it is error,
// none, all, or a list of names.
type SelectionFallback struct {
	// Mode is "error" (or ""): the run fails; "none": no tools are offered; "all": all tools; or "tools": the tools in Tools.
	Mode  string
	Tools []string
	// Func returns the names. It replaces Mode and Tools. It gets the last answer of the model: a value, a text, or
	// nothing.
	Func func(answer wire.Raw) []string
}

// UnmarshalYAML decodes a word or a list.
func (f *SelectionFallback) UnmarshalYAML(decode func(into any) error) error {
	var form any
	if err := decode(&form); err != nil {
		return err
	}
	if mode, ok := form.(string); ok && mode != "tools" {
		f.Mode = mode
		return nil
	}
	if _, ok := form.([]any); !ok {
		return errors.New("on_parsing_failure must be error, none, all, or a list of names of tools")
	}
	f.Mode = "tools"
	return decode(&f.Tools)
}

// JSONSchema returns the schema of the forms that a manifest may have.
func (SelectionFallback) JSONSchema() map[string]any {
	return map[string]any{"anyOf": []any{
		map[string]any{"type": "string", "enum": []any{"error", "none", "all"}, "default": "error"},
		map[string]any{"type": "array", "items": map[string]any{"type": "string"}},
	}}
}

func (f *SelectionFallback) check() error {
	switch f.Mode {
	case "", "error", "none", "all", "tools":
		return nil
	default:
		return fmt.Errorf("on_parsing_failure is '%s'; it must be error, none, all, or a list of names of tools", f.Mode)
	}
}

// fallback returns the names of the tools to offer when the answer is not a list.
func (s *toolSelector) fallback(answer wire.Raw, available []abi.ToolSpec) ([]string, error) {
	f := &s.OnParsingFailure
	names := f.Tools
	switch {
	case f.Func != nil:
		names = f.Func(answer)
	case f.Mode == "none":
		return nil, nil
	case f.Mode == "all":
		return namesOf(available), nil
	case f.Mode != "tools":
		return nil, fmt.Errorf("LLMToolSelectorMiddleware: selection model returned a malformed response after %d retries "+
			"(expected a dict with a 'tools' list): %s", s.retries, excerpt(answer.JSON()))
	}
	var invalid []wire.Raw
	for _, name := range names {
		if !has(available, name) && !slices.Contains(s.AlwaysInclude, name) {
			invalid = append(invalid, wire.String(name))
		}
	}
	if len(invalid) > 0 {
		return nil, invalidSelection(invalid)
	}
	return names, nil
}

// ask asks the model once. It returns the answer as a value if it is one, otherwise as a text.
func (s *toolSelector) ask(
	ctx context.Context, rt *host.Runtime, req *model.Request, available []abi.ToolSpec, question abi.Message,
) (wire.Raw, error) {
	m := s.own
	if m == nil {
		m = req.Model
	}
	if m == nil {
		m = s.agents
	}
	schema, err := selectionSchema(available)
	if err != nil {
		return nil, err
	}
	format := &model.Format{Name: selectionFormat, Description: "Use to select relevant tools.", Schema: schema}
	asked := (&model.Request{Model: m, System: abi.Text(s.prompt), Messages: history.Of(question)}).AskingFor(format)
	resp, err := rt.Generate(ctx, m, asked)
	if err != nil {
		return nil, err
	}
	return resp.Value(selectionFormat), nil
}

// selectionSchema returns the schema of the answer. It describes the tools beside the list, because not all providers
// accept descriptions of single values.
func selectionSchema(available []abi.ToolSpec) (wire.Raw, error) {
	var description strings.Builder
	description.WriteString("Tools to use. Place the most relevant tools first.\n")
	for i := range available {
		fmt.Fprintf(&description, "\n- %s: %s", available[i].Name, available[i].Description)
	}
	return wire.Of(map[string]any{
		"type": "object",
		"properties": map[string]any{"tools": map[string]any{
			"type": "array", "description": description.String(),
			"items": map[string]any{"type": "string", "enum": namesOf(available)},
		}},
		"required": []string{"tools"}, "additionalProperties": false,
	})
}
