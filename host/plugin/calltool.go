package plugin

import (
	"context"
	"errors"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
)

// pluginTool is a tool that a plugin contributes.
type pluginTool struct {
	plugin *Plugin
	spec   abi.ToolSpec
}

// Spec describes the tool.
func (t *pluginTool) Spec() abi.ToolSpec { return t.spec }

// Pool returns the supply of instances that calls of the tool need.
func (t *pluginTool) Pool() *host.Pool { return t.plugin.pool.leases }

// Call runs the tool in the guest. The guest sees all fields that it declared itself.
func (t *pluginTool) Call(ctx context.Context, rt *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) {
	p := t.plugin
	named := *call
	named.Name = t.spec.Name // the tool that runs: a wrap may have renamed the call, or redirected it here
	call = &named
	output := &host.ToolOutput{}
	result, err := p.call(ctx, rt, &toolRun{p, rt, call, output}, func(c *hookCall) {
		c.export, c.input.reads, c.input.call = abi.ExportCallTool, p.ownFields, call
		c.reads = access{fields: p.ownFields}
	})
	if err == nil && result == nil {
		err = p.fault(abi.ExportCallTool, KindProtocol, "it returned 0; a tool must answer with tool_message or error", nil)
	}
	if err != nil {
		return nil, err
	}
	if err := outcome(result); err != nil {
		return nil, err
	}
	update := result.Update()
	output.Update = &update
	return output, nil
}

// toolRun is one call of a plugin's tool.
type toolRun struct {
	plugin *Plugin
	rt     *host.Runtime
	call   *abi.ToolCall
	output *host.ToolOutput
}

// bypassed answers that the tool is not available.
func (t *toolRun) bypassed() *abi.Result {
	t.output.Content, t.output.Failed = abi.Text("The tool "+t.call.Name+" is not available now."), true
	return &abi.Result{}
}

// callNext refuses the call: a tool has no inner layers.
func (t *toolRun) callNext(*instance, []byte) (abi.Status, []byte, error) { return 0, nil, errNoNext }

// accept checks a result and sets the tool's output from it.
func (t *toolRun) accept(r *abi.Result) error {
	if r.Response != nil {
		return errors.New("response is for wrap_model_call, not call_tool")
	}
	if err := t.plugin.checkWrapUpdate(t.rt, nil, r); err != nil {
		return err
	}
	if r.ToolMessage == nil {
		return errors.New("the result has neither tool_message nor error")
	}
	m, err := answer(r.ToolMessage, nil, t.call.ID)
	if err != nil {
		return err
	}
	t.output.Content, t.output.Artifact, t.output.Failed = m.Content, m.Artifact, m.Status == abi.StatusError
	return nil
}
