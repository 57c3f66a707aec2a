package main

import (
	"strconv"
	"strings"

	"github.com/agenthost/agenthost/abi"
	sdk "github.com/agenthost/agenthost/sdk/go"
)

// BeforeAgent removes and patches messages of the input, and sets fields.
func (parity) BeforeAgent(c *sdk.Call) (*sdk.Update, error) {
	update := &sdk.Update{}
	for _, m := range c.Messages() {
		text := m.Content.Text()
		if text == "drop me" {
			update.Remove = append(update.Remove, m.ID)
		}
		if trimmed := strings.TrimSpace(text); trimmed != text {
			update.Patch = append(update.Patch, sdk.NewPatch(m.ID).SetContent(sdk.Text(trimmed)))
		}
	}
	update.State.Set("mode", sdk.String("running"))
	update.State.Set("seen", list("start"))
	return update, c.Emit("started", sdk.Int(int64(c.Input().Messages.Total)))
}

// BeforeModel notes what its view shows, and patches the first message before the second call.
func (parity) BeforeModel(c *sdk.Call) (*sdk.Update, error) {
	count, _ := c.State("count").AsInt()
	view := c.Input().Messages
	seen := "from " + strconv.Itoa(int(view.From)) + " items " + strconv.Itoa(len(view.Items)) +
		" patch " + strconv.Itoa(len(view.Patch)) + " remove " + strconv.Itoa(len(view.Remove)) +
		" of " + strconv.Itoa(int(view.Total)) + " reset " + strconv.FormatBool(view.Reset)
	update := &sdk.Update{}
	update.State.Set("seen", list(seen))
	update.State.Set("count", sdk.Int(1))
	update.State.Set("note", sdk.String("call "+strconv.Itoa(int(count)+1)))
	if count == 11 {
		first, err := c.ReadMessages(0, 1)
		if err != nil {
			return nil, err
		}
		meta := sdk.Map{{Key: "flagged", Value: sdk.Bool(true)}}
		update.Patch = append(update.Patch, sdk.NewPatch(first[0].ID).Set("meta", meta.Raw()))
	}
	return update, nil
}

// AfterModel jumps when the model says so.
func (parity) AfterModel(c *sdk.Call) (*sdk.Update, error) {
	switch c.Messages()[0].Content.Text() {
	case "again":
		return &sdk.Update{JumpTo: abi.JumpModel, Messages: []sdk.Message{abi.Human("go on")}}, nil
	case "stop":
		return &sdk.Update{JumpTo: abi.JumpEnd}, nil
	case "break":
		return nil, &sdk.Error{Type: "broken", Message: "the model said so", Data: sdk.Int(7)}
	default:
		return nil, nil
	}
}

// AfterAgent asks for a review where the caller wants one, and otherwise keeps only the last message.
func (parity) AfterAgent(c *sdk.Call) (*sdk.Update, error) {
	if review, _ := c.State("review").AsBool(); review {
		value := sdk.Map{
			{Key: "count", Value: c.State("count")}, {Key: "memory", Value: c.State("memory")}, {Key: "tools", Value: c.State("tools")},
		}
		if _, err := c.Interrupt("review", value.Raw()); err != nil {
			return nil, err
		}
	}
	messages := c.Messages()
	update := &sdk.Update{Overwrite: true, Messages: messages[len(messages)-1:]}
	update.State.Set("mode", sdk.String("done"))
	return update, nil
}
