package plugin

import (
	"errors"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"

	"github.com/agenthost/agenthost/abi/wire"
)

var errNoModel = errors.New("no model of that name is configured")

// changeRequest applies what wrap_model_call passed to next.
func (p *Plugin) changeRequest(req *model.Request, c *abi.RequestChange) (*model.Request, error) {
	out := *req
	if c.Model != "" {
		m, ok := p.models[c.Model]
		if !ok {
			return nil, errNoModel
		}
		out.Model = m
	}
	if c.System != nil {
		out.System = *c.System
	}
	if c.AppendSystem != nil {
		out.System = out.System.Append(*c.AppendSystem)
	}
	if c.ToolChoice != nil {
		out.ToolChoice = *c.ToolChoice
	}
	if len(c.Settings) > 0 {
		out.Settings = out.Settings.With(c.Settings)
	}
	if c.Tools != nil {
		out.Tools = out.KeepTools(c.Tools).Tools
	}
	if len(c.AddTools) > 0 {
		for i := range c.AddTools {
			if _, err := compileSchema(c.AddTools[i].Parameters); err != nil || !isName(c.AddTools[i].Name) {
				return nil, fmt.Errorf("add_tools: %q has a name or parameters that are not allowed", clean(c.AddTools[i].Name, 64))
			}
		}
		out.Tools = out.AddTools(c.AddTools).Tools
	}
	update := abi.Update{Messages: c.Messages, Patch: c.Patch, Remove: c.Remove, Overwrite: c.Overwrite}
	if update.ChangesMessages() {
		messages, err := out.Messages.Apply(&update)
		if err != nil {
			return nil, err
		}
		out.Messages = messages
	}
	return &out, nil
}

// changeCall applies what wrap_tool_call passed to next.
func (p *Plugin) changeCall(req *host.ToolRequest, c *abi.CallChange) (*host.ToolRequest, error) {
	out := *req
	if !c.Args.IsZero() {
		if !c.Args.IsMap() {
			return nil, errors.New("args is not a map")
		}
		out.Call.Args = c.Args
	}
	if len(c.SetArgs) > 0 {
		var args wire.Map
		if !out.Call.Args.IsNil() {
			if _, err := args.UnmarshalMsg(out.Call.Args); err != nil {
				return nil, err
			}
		}
		out.Call.Args = args.With(c.SetArgs).Raw()
	}
	if c.Name != "" {
		if !isName(c.Name) {
			return nil, fmt.Errorf("the name %q is not allowed", clean(c.Name, 64))
		}
		out.Call.Name = c.Name
	}
	if c.Tool != "" {
		t, ok := p.dynamic[c.Tool]
		if !ok {
			return nil, fmt.Errorf("the tool %q is not one that the plugin declared as dynamic", clean(c.Tool, 64))
		}
		out.Tool = t
	}
	return &out, nil
}
