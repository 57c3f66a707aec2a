// Command lab is a test guest that looks at what the host gives it, and reports it in the field report.
package main

import (
	"crypto/rand"
	"encoding/hex"
	"strconv"
	"time"

	"github.com/agenthost/agenthost/abi/wire"
	sdk "github.com/agenthost/agenthost/sdk/go"
)

type lab struct{ config sdk.Map }

func init() {
	sdk.Register(&lab{}, sdk.Description{
		Name: "lab", Version: "1.0.0",
		ConfigSchema: sdk.Schema(map[string]any{
			"type": "object", "additionalProperties": false,
			"properties": map[string]any{
				"limit": map[string]any{"type": "integer", "default": 3},
				"ratio": map[string]any{"type": "number", "default": 0.5},
				"deep": map[string]any{
					"type": "object", "default": map[string]any{},
					"properties": map[string]any{"word": map[string]any{"type": "string", "default": "deep"}},
				},
			},
		}),
		Fields: []sdk.FieldSpec{
			{Name: "report", Lifetime: "thread", Reducer: "append"},
			{Name: "big", Lifetime: "thread"},
			{Name: "small", Lifetime: "thread"},
		},
		Hooks: sdk.HookSpecs{
			BeforeAgent: &sdk.HookSpec{},
			BeforeModel: &sdk.HookSpec{Messages: sdk.ViewLast(1), Reads: []string{"big", "small"}},
			AfterModel:  &sdk.HookSpec{Reads: []string{"todos"}, Writes: []string{"todos"}},

			WrapToolCall: &sdk.HookSpec{Tools: []string{"magic", "pay"}},
		},
		Tools: []sdk.ToolSpec{{Name: "measure", Description: "Says how it was called.", Dynamic: true}},
	})
}

func main() {}

// Configure keeps the configuration.
func (l *lab) Configure(config sdk.Map) (*sdk.Description, error) {
	l.config = config
	return nil, nil
}

// BeforeAgent sleeps an hour, and reports clock, random numbers and configuration.
func (l *lab) BeforeAgent(*sdk.Call) (*sdk.Update, error) {
	start := time.Now()
	time.Sleep(time.Hour)
	slept := time.Since(start).Truncate(time.Minute)
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		return nil, err
	}
	return report(
		"now "+start.UTC().Truncate(time.Second).Format(time.RFC3339), "slept "+slept.String(), "random "+hex.EncodeToString(random),
		"limit "+l.config.Get("limit").Type(), "ratio "+l.config.Get("ratio").Type(), "config "+strconv.Itoa(l.config.Get("deep").Len()),
	), nil
}

// BeforeModel reports what it is shown of fields and messages, and what it gets when it asks.
func (*lab) BeforeModel(c *sdk.Call) (*sdk.Update, error) {
	big, err := c.ReadFields("big")
	if err != nil {
		return nil, err
	}
	_, denied := c.ReadFields("big", "todos")
	if denied == nil {
		denied = &sdk.Error{}
	}
	older, err := c.ReadMessages(1, 100)
	if err != nil {
		return nil, err
	}
	beyond, err := c.ReadMessages(100, 1)
	if err != nil {
		return nil, err
	}
	large := ""
	for _, name := range c.Input().Large {
		large += name
	}
	return report(
		"large "+large, "big "+strconv.Itoa(len(c.State("big")))+" "+strconv.Itoa(len(big.Get("big"))), "small "+strconv.Itoa(len(c.State("small"))),
		"shown "+strconv.Itoa(len(c.Messages())), "older "+strconv.Itoa(len(older)), "beyond "+strconv.Itoa(len(beyond)),
		"denied "+denied.Error(),
	), nil
}

// AfterModel changes a field of another middleware.
func (*lab) AfterModel(c *sdk.Call) (*sdk.Update, error) {
	todos, _ := c.State("todos").AsString()
	update := &sdk.Update{}
	update.State.Set("todos", sdk.String(todos+", and lab's"))
	return update, nil
}

// WrapToolCall asks a person before a payment, and lets the dynamic tool run where the model asked for magic.
func (*lab) WrapToolCall(c *sdk.ToolCall) (*sdk.Patch, *sdk.Update, error) {
	if c.Name() == "pay" {
		allowed := []sdk.DecisionType{sdk.DecisionApprove, sdk.DecisionEdit, sdk.DecisionReject}
		return sdk.Approval{Description: "Pays.", Allowed: allowed}.Wrap(c)
	}
	_, err := c.Next(&sdk.CallChange{Tool: "measure", Name: "renamed"})
	return nil, nil, err
}

// CallTool is the tool measure.
func (*lab) CallTool(c *sdk.ToolCall) (*sdk.Patch, *sdk.Update, error) {
	p := sdk.NewPatch("").SetContent(sdk.Text("ran as " + c.ToolCall().Name))
	return &p, nil, nil
}

func report(lines ...string) *sdk.Update {
	items := make([]any, len(lines))
	for i := range lines {
		items[i] = lines[i]
	}
	update := &sdk.Update{}
	raw, _ := wire.Of(items)
	update.State.Set("report", raw)
	return update
}
