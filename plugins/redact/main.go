// Command redact is an agenthost plugin that keeps personal data and secrets away from the model: e-mail addresses,
// payment cards, IP addresses, API keys and private keys, in what the user says and in what tools return.
//
// Its configuration, all keys optional:
//
//	strategy:               redact (default), mask, hash, or block, which fails the run
//	types:                  which kinds to look for: email, credit_card, ip, api_key, private_key (default: all)
//	apply_to_input:         messages of the user (default true)
//	apply_to_tool_results:  results of tools (default true)
//
// What it replaces is counted in the state field redactions, and reported by the event redacted.
package main

import (
	"github.com/agenthost/agenthost/plugins/redact/scan"
	sdk "github.com/agenthost/agenthost/sdk/go"
)

// redactor is the plugin. It keeps nothing between calls but its configuration.
type redactor struct {
	scanner  *scan.Scanner
	strategy scan.Strategy
	matches  []scan.Match // buffer
}

func init() {
	sdk.Register(&redactor{}, description())
}

func main() {}

// redactions counts the replacements of the thread.
var redactions = sdk.Field[int64]{Name: "redactions", Reducer: sdk.ReduceAdd, HideInput: true}

func description() sdk.Description {
	return sdk.Description{
		Name:    "redact",
		Version: "1.0.0",
		ConfigSchema: sdk.Schema(map[string]any{
			"type":                 "object",
			"additionalProperties": false,
			"properties": map[string]any{
				"strategy": map[string]any{
					"enum": []any{"redact", "mask", "hash", "block"}, "default": "redact",
					"description": "what takes the place of a find; block fails the run",
				},
				"types": map[string]any{
					"type": "array", "minItems": 1,
					"items":       map[string]any{"enum": []any{"email", "credit_card", "ip", "api_key", "private_key"}},
					"default":     []any{"email", "credit_card", "ip", "api_key", "private_key"},
					"description": "what to look for",
				},
				"apply_to_input": map[string]any{
					"type": "boolean", "default": true, "description": "look at messages of the user",
				},
				"apply_to_tool_results": map[string]any{
					"type": "boolean", "default": true, "description": "look at results of tools",
				},
			},
		}),
		Fields: []sdk.FieldSpec{redactions.Spec()},
		Hooks: sdk.HookSpecs{
			BeforeModel:  &sdk.HookSpec{Messages: sdk.ViewNew()},
			WrapToolCall: &sdk.HookSpec{},
		},
	}
}

// Configure takes the configuration, and drops hooks that have nothing to do.
func (r *redactor) Configure(config sdk.Map) (*sdk.Description, error) {
	var kinds []scan.Kind
	for item := range config.Get("types").Elements() {
		name, _ := item.AsString()
		kind, ok := scan.ParseKind(name)
		if !ok {
			return nil, &sdk.Error{Type: "config", Message: "types: " + name + " is unknown"}
		}
		kinds = append(kinds, kind)
	}
	name, _ := config.Get("strategy").AsString()
	strategy, ok := scan.ParseStrategy(name)
	if !ok {
		return nil, &sdk.Error{Type: "config", Message: "strategy: " + name + " is unknown"}
	}
	r.scanner, r.strategy = scan.New(kinds...), strategy

	d := description()
	if on, _ := config.Get("apply_to_input").AsBool(); !on {
		d.Hooks.BeforeModel = nil
	}
	if on, _ := config.Get("apply_to_tool_results").AsBool(); !on {
		d.Hooks.WrapToolCall = nil
	}
	return &d, nil
}
