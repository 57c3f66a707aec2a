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

// Pool is the supply of instances that calls of the tool need.
func (t *pluginTool) Pool() *host.Pool { return t.plugin.pool.leases }

// Call lets the guest run the tool. The guest sees all fields that it declared itself.
func (t *pluginTool) Call(ctx context.Context, rt *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) {
	p := t.plugin
	output := &host.ToolOutput{}
	c := hookCall{
		export: abi.ExportCallTool, fields: p.ownFields, input: hookInput{rt: rt, reads: p.ownFields, call: call},
		accept: func(r *abi.Result) error { return t.accept(rt, call, r, output) },
	}
	result, err := p.do(ctx, &c)
	if err != nil || result == nil {
		return output, err
	}
	if err := outcome(result); err != nil {
		return nil, err
	}
	update := result.Update()
	output.Update = &update
	return output, nil
}

func (t *pluginTool) accept(rt *host.Runtime, call *abi.ToolCall, r *abi.Result, output *host.ToolOutput) error {
	if r.Response != nil {
		return errors.New("response is for wrap_model_call, not call_tool")
	}
	if err := t.plugin.checkWrapUpdate(rt, nil, r); err != nil {
		return err
	}
	if r.ToolMessage == nil {
		return nil
	}
	m, err := answer(r.ToolMessage, nil, call.ID)
	if err != nil {
		return err
	}
	output.Content, output.Artifact, output.Failed = m.Content, m.Artifact, m.Status == abi.StatusError
	return nil
}
