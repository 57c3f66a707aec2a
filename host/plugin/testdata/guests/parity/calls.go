package main

import (
	"errors"
	"strings"

	"github.com/agenthost/agenthost/abi"
	sdk "github.com/agenthost/agenthost/sdk/go"
)

// WrapModelCall changes the request, tries again once, and hides what should not be said.
func (parity) WrapModelCall(c *sdk.ModelCall) (*sdk.ResponseChange, *sdk.Update, error) {
	note, _ := c.State("note").AsString()
	system, choice := sdk.Text(" ["+note+"]"), "auto"
	change := &sdk.RequestChange{
		AppendSystem: &system, ToolChoice: &choice, Settings: sdk.Map{{Key: "count", Value: c.State("count")}},
	}
	for _, m := range c.Request().Messages.Items {
		if m.Role == abi.RoleHuman {
			change.Patch = append(change.Patch, sdk.NewPatch(m.ID).SetContent(sdk.Text(m.Content.Text()+"!")))
		}
	}
	reply, err := c.Next(change)
	if retryable(err) {
		reply, err = c.Next(nil)
	}
	if err != nil {
		return nil, nil, err
	}
	update := &sdk.Update{}
	update.State.Set("count", sdk.Int(10))
	messages := reply.Response().Messages
	answer := messages[len(messages)-1]
	if !strings.Contains(answer.Content.Text(), "secret") {
		return nil, update, nil
	}
	hidden := sdk.NewPatch(answer.ID).SetContent(sdk.Text("[hidden]"))
	return &sdk.ResponseChange{Messages: []sdk.Patch{hidden}, StopReason: "edited"}, update, nil
}

// WrapToolCall changes arguments and results, refuses, asks, and answers for tools that are not there.
func (parity) WrapToolCall(c *sdk.ToolCall) (*sdk.Patch, *sdk.Update, error) {
	call := c.ToolCall()
	switch call.Name {
	case "forbidden":
		return nil, nil, &sdk.Error{Type: "forbidden", Message: "not while " + mode(c)}
	case "ask":
		if _, err := c.Interrupt("approve", call.Args); err != nil {
			return nil, nil, err
		}
	}
	if !c.Known() {
		p := sdk.NewPatch("").SetContent(sdk.Text("no such tool")).Set("status", sdk.String("error"))
		return &p, nil, nil
	}
	args := sdk.Map{{Key: "by", Value: sdk.String("parity")}}
	answer, err := c.Next(&sdk.CallChange{SetArgs: args})
	if retryable(err) {
		args.Set("attempt", sdk.Int(2))
		answer, err = c.Next(&sdk.CallChange{SetArgs: args, Name: call.Name + "_again"})
	}
	if err != nil {
		return nil, nil, err
	}
	p := sdk.NewPatch("").SetContent(sdk.Text(strings.ToUpper(answer.Message().Content.Text())))
	update := &sdk.Update{}
	update.State.Set("tools", sdk.Int(1))
	return &p, update, c.Emit("wrapped", sdk.String(call.ID))
}

// CallTool is the tool remember.
func (parity) CallTool(c *sdk.ToolCall) (*sdk.Patch, *sdk.Update, error) {
	key, _ := c.Args().Get("key").AsString()
	text, _ := c.Args().Get("text").AsString()
	switch {
	case key == "fail":
		return nil, nil, &sdk.Error{Type: "full", Message: "the memory is full"}
	case text == "":
		p := sdk.NewPatch("").SetContent(sdk.Text("nothing to remember")).Set("status", sdk.String("error"))
		return &p, nil, nil
	}
	p := sdk.NewPatch("").SetContent(sdk.Text("remembered "+key)).Set("artifact", sdk.Int(int64(len(text))))
	update := &sdk.Update{}
	update.State.Set("memory", list(text))
	return &p, update, c.Emit("remembered", c.Args().Raw())
}

func retryable(err error) bool {
	var document *sdk.Error
	return errors.As(err, &document) && document.Retryable
}

func mode(c *sdk.ToolCall) string {
	mode, _ := c.State("mode").AsString()
	return mode
}
