// Command bench is a guest for benchmarks: small work behind a whole SDK.
package main

import sdk "github.com/agenthost/agenthost/sdk/go"

type bench struct{}

func init() { sdk.Register(bench{}, description()) }

func description() sdk.Description {
	return sdk.Description{
		Name: "bench", Version: "1.0.0",
		ConfigSchema: sdk.Schema(map[string]any{"type": "object", "properties": map[string]any{"only": map[string]any{"type": "string"}}}),
		Fields:       []sdk.FieldSpec{{Name: "chars", Lifetime: "thread", Reducer: "add"}},
		Hooks: sdk.HookSpecs{
			BeforeAgent:   &sdk.HookSpec{},
			BeforeModel:   &sdk.HookSpec{Messages: sdk.ViewLast(1)},
			AfterModel:    &sdk.HookSpec{Messages: sdk.ViewNew()},
			WrapModelCall: &sdk.HookSpec{},
			WrapToolCall:  &sdk.HookSpec{},
		},
	}
}

// Configure leaves only the hook that the configuration names, if it names one.
func (bench) Configure(config sdk.Map) (*sdk.Description, error) {
	only, _ := config.Get("only").AsString()
	d := description()
	switch only {
	case "before_model":
		d.Hooks = sdk.HookSpecs{BeforeModel: d.Hooks.BeforeModel}
	case "wrap_tool_call":
		d.Hooks = sdk.HookSpecs{WrapToolCall: d.Hooks.WrapToolCall}
	default:
		return nil, nil
	}
	return &d, nil
}

func main() {}

// BeforeAgent has nothing to say.
func (bench) BeforeAgent(*sdk.Call) (*sdk.Update, error) { return nil, nil }

// BeforeModel counts what the last message says.
func (bench) BeforeModel(c *sdk.Call) (*sdk.Update, error) { return count(c) }

// AfterModel counts what new messages say.
func (bench) AfterModel(c *sdk.Call) (*sdk.Update, error) { return count(c) }

func count(c *sdk.Call) (*sdk.Update, error) {
	chars := 0
	for _, m := range c.Messages() {
		chars += len(m.Content.Text())
	}
	update := &sdk.Update{}
	update.State.Set("chars", sdk.Int(int64(chars)))
	return update, nil
}

// WrapModelCall only calls next.
func (bench) WrapModelCall(c *sdk.ModelCall) (*sdk.ResponseChange, *sdk.Update, error) {
	_, err := c.Next(nil)
	return nil, nil, err
}

// WrapToolCall only calls next.
func (bench) WrapToolCall(c *sdk.ToolCall) (*sdk.Patch, *sdk.Update, error) {
	_, err := c.Next(nil)
	return nil, nil, err
}
