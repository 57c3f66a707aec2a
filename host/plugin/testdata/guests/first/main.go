package main

import (
	sdk "github.com/agenthost/agenthost/sdk/go"
)

type first struct{}

func (first) BeforeModel(c *sdk.Call) (*sdk.Update, error) {
	u := &sdk.Update{}
	n, _ := c.State("count").AsInt()
	for _, m := range c.Messages() {
		n += int64(len(m.Content.Text()))
	}
	u.State.Set("count", sdk.Int(n))
	return u, nil
}

func (first) BeforeAgent(c *sdk.Call) (*sdk.Update, error) { return nil, nil }

func init() {
	sdk.Register(first{}, sdk.Description{Name: "first", Version: "1.0.0",
		Fields: []sdk.FieldSpec{{Name: "count", Lifetime: "thread"}},
		Hooks:  sdk.HookSpecs{BeforeModel: &sdk.HookSpec{Messages: sdk.ViewLast(1), Reads: []string{"count"}}},
	})
}

func main() {}
