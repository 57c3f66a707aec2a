package plugin

import (
	"errors"
	"fmt"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
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
	if err := changeTools(&out, c); err != nil {
		return nil, err
	}
	update := abi.Update{Messages: c.Messages, Patch: c.Patch, Remove: c.Remove, Overwrite: c.Overwrite}
	if update.ChangesMessages() {
		asResult := abi.Result{Messages: c.Messages, Patch: c.Patch, Remove: c.Remove, Overwrite: c.Overwrite}
		if err := checkMessages(out.Messages, &asResult); err != nil {
			return nil, err
		}
		messages, err := out.Messages.Apply(&update)
		if err != nil {
			return nil, err
		}
		out.Messages = messages
	}
	return &out, nil
}

// changeTools selects and adds tools of a request.
func changeTools(req *model.Request, c *abi.RequestChange) error {
	offered := func(name string) bool {
		return slices.ContainsFunc(req.Tools, func(t abi.ToolSpec) bool { return t.Name == name })
	}
	for _, name := range c.Tools {
		if !offered(name) {
			return fmt.Errorf("tools: %q is not offered in this request", clean(name, 64))
		}
	}
	if c.Tools != nil {
		req.Tools = req.KeepTools(c.Tools).Tools
	}
	for i := range c.AddTools {
		t := &c.AddTools[i]
		if !isName(t.Name) || offered(t.Name) || slices.ContainsFunc(c.AddTools[:i], func(other abi.ToolSpec) bool { return other.Name == t.Name }) {
			return fmt.Errorf("add_tools: %q is not a valid tool name, or a tool of that name is already offered", clean(t.Name, 64))
		}
		if err := checkParameters(t.Parameters); err != nil {
			return fmt.Errorf("add_tools: %q: %w", t.Name, err)
		}
	}
	if len(c.AddTools) > 0 {
		req.Tools = req.AddTools(c.AddTools).Tools
	}
	return nil
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
