// Command redact is an agenthost plugin that keeps personal data and secrets away from the model. It replaces e-mail
// addresses, payment cards, IP addresses, API keys and private keys in the user's messages and in the results of tools.
// See README.md.
package main

import (
	"github.com/agenthost/agenthost/plugins/redact/scan"
	sdk "github.com/agenthost/agenthost/sdk/go"
)

// redactor is the plugin. Between calls it keeps only its configuration.
type redactor struct {
	scanner  *scan.Scanner
	strategy scan.Strategy
	matches  []scan.Match // buffer
}

func init() {
	sdk.Register(&redactor{}, description())
}

func main() {}

// redactions counts the replacements in the thread.
var redactions = sdk.Field[int64]{Name: "redactions", Reducer: sdk.ReduceAdd, HideInput: true}

func description() sdk.Description {
	return sdk.Description{
		Name:         "redact",
		Version:      "1.0.0",
		ConfigSchema: (*config)(nil).JSONSchema(),
		Fields:       []sdk.FieldSpec{redactions.Spec()},
		Guards:       true,
		Hooks: sdk.HookSpecs{
			BeforeModel:  &sdk.HookSpec{Messages: sdk.ViewNew()},
			WrapToolCall: &sdk.HookSpec{},
		},
	}
}

// Configure applies a configuration and drops the hooks that it makes useless.
func (r *redactor) Configure(m sdk.Map) (*sdk.Description, error) {
	var c config
	err := sdk.Decode(m, &c)
	if err != nil {
		return nil, err
	}
	if r.scanner, r.strategy, err = c.scanner(); err != nil {
		return nil, err
	}
	d := description()
	if !c.ApplyToInput {
		d.Hooks.BeforeModel = nil
	}
	if !c.ApplyToToolResults {
		d.Hooks.WrapToolCall = nil
	}
	return &d, nil
}
