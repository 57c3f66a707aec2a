// Command bad is a plugin that misbehaves as its configuration says.
package main

import sdk "github.com/agenthost/agenthost/sdk/go"

type bad struct{ how string }

func (b *bad) Configure(config sdk.Map) (*sdk.Description, error) {
	b.how, _ = config.Get("how").AsString()
	return nil, nil
}

func (b *bad) AfterModel(c *sdk.Call) (*sdk.Update, error) {
	update := &sdk.Update{}
	switch b.how {
	case "trap":
		panic("out of order")
	case "jump":
		update.JumpTo = "tools"
	case "state":
		update.State.Set("secret", sdk.Int(1))
	case "error":
		return nil, &sdk.Error{Type: "refused", Message: "not today"}
	case "ask":
		_, err := c.Interrupt("approve", sdk.String("shall I?"))
		return nil, err
	}
	return update, nil
}

func init() {
	sdk.Register(&bad{}, sdk.Description{
		Name: "bad", Version: "1.0.0",
		ConfigSchema: sdk.Schema(map[string]any{"type": "object", "properties": map[string]any{"how": map[string]any{"type": "string"}}}),
		Hooks:        sdk.HookSpecs{AfterModel: &sdk.HookSpec{CanJumpTo: []string{"end"}}},
	})
}

func main() {}
