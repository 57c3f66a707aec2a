// Command bad is a plugin that misbehaves as its configuration says.
package main

import (
	"errors"

	"github.com/agenthost/agenthost/abi"
	sdk "github.com/agenthost/agenthost/sdk/go"
)

type bad struct {
	sdk.Tools

	how string
}

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
	case "use":
		return nil, b.use(c)
	}
	return update, nil
}

// use uses the grants, and fails if an operation does not behave as expected.
func (b *bad) use(c *sdk.Call) error {
	store := c.Store(sdk.ScopePlugin)
	version, err := store.Put("seen", sdk.Int(1))
	if err != nil {
		return err
	}
	if _, err = store.PutIf("seen", sdk.Int(2), version+1); err != sdk.ErrConflict { //nolint:errorlint // it is never wrapped
		return errors.New("a write with the wrong version")
	}
	answer, err := c.Generate(&sdk.GenerateRequest{Messages: []sdk.Message{abi.Human("echo")}})
	if err != nil {
		return err
	}
	found, err := c.CallTool("read_file", sdk.Map{{Key: "path", Value: sdk.String("a.txt")}})
	if err != nil {
		return err
	}
	var refused *sdk.Error
	if _, err := c.ClockNow(); !errors.As(err, &refused) || refused.Type != "EDENIED" {
		return errors.New("the clock was not refused")
	}
	c.Log(abi.LogWarn, answer.Messages[0].Content.Text()+" and "+found.Content.Text())
	return nil
}

// pay is a tool that must not run twice: it is not idempotent.
func pay(*sdk.ToolCall) (*sdk.Patch, *sdk.Update, error) { return sdk.Answer("paid"), nil, nil }

func init() {
	tools := sdk.Tools{{ToolSpec: sdk.ToolSpec{Name: "pay", Description: "Pays."}, Run: pay}}
	sdk.Register(&bad{Tools: tools}, sdk.Description{
		Name: "bad", Version: "1.0.0", Tools: tools.Specs(),
		ConfigSchema: sdk.Schema(map[string]any{"type": "object", "properties": map[string]any{"how": map[string]any{"type": "string"}}}),
		Capabilities: []sdk.Capability{
			{Op: "kv.get", Reason: "to remember"}, {Op: "kv.put", Reason: "to remember"}, {Op: "model.generate", Reason: "to ask"},
			{Op: "tool.call", Reason: "to look\x1b[2J\nsomething up"}, {Op: "clock.now", Reason: "to know when"},
		},
		Hooks: sdk.HookSpecs{AfterModel: &sdk.HookSpec{CanJumpTo: []string{"end"}}},
	})
}

func main() {}
