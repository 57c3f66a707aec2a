package plugin

import (
	"context"
	"errors"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/history"
)

// wrapToolCall is one call of a wrap_tool_call hook.
type wrapToolCall struct {
	wrapCall[host.ToolRequest, abi.Message]
}

// wrapTool makes the wrap_tool_call hook.
func (p *Plugin) wrapTool(spec *abi.HookSpec) host.WrapToolFunc {
	reads := sorted(spec.Reads)
	return func(ctx context.Context, rt *host.Runtime, req *host.ToolRequest, next host.ToolHandler) (*abi.Message, *host.Update, error) {
		w := &wrapToolCall{wrapCall[host.ToolRequest, abi.Message]{ctx: ctx, plugin: p, spec: spec, rt: rt, req: req, next: next}}
		return w.finish(p.call(ctx, rt, w, func(c *hookCall) {
			c.export, c.input.reads = string(abi.WrapToolCall), reads
			c.reads = access{reads, !spec.Messages.IsZero()}
			c.input.call, c.input.known = &req.Call, req.Known()
			if c.reads.messages {
				c.input.view, c.input.shows = history.Show(rt.State().Messages(), spec.Messages), true
			}
		}))
	}
}

// callNext has the rest of the chain perform the call that the guest wants.
func (c *wrapToolCall) callNext(i *instance, payload []byte) (abi.Status, []byte, error) {
	req := c.req
	if len(payload) > 0 {
		var change abi.CallChange
		if err := i.decode(i.frame.export, payload, &change); err != nil {
			return 0, nil, err
		}
		var err error
		if req, err = c.plugin.changeCall(c.req, &change); err != nil {
			return 0, nil, err
		}
	}
	return c.forward(req, func(m *abi.Message) ([]byte, error) {
		doc := abi.ToolReply{ToolMessage: *m}
		return doc.MarshalMsg(nil)
	})
}

// accept checks a result and derives its message.
func (c *wrapToolCall) accept(r *abi.Result) error {
	if r.Response != nil {
		return errors.New("response is for wrap_model_call, not wrap_tool_call")
	}
	if err := c.plugin.checkWrapUpdate(c.rt, c.spec.Writes, r); err != nil {
		return err
	}
	if r.ToolMessage == nil {
		return nil
	}
	if err := c.mayChange("tool_message"); err != nil {
		return err
	}
	m, err := answer(r.ToolMessage, c.base(), c.req.Call.ID)
	c.made = m
	return err
}

// answer makes the message that answers a call, from base and a patch, or from the patch alone.
func answer(p *abi.Patch, base *abi.Message, callID string) (*abi.Message, error) {
	var m abi.Message
	var err error
	if base != nil {
		m, err = p.Apply(base)
	} else {
		m, err = p.Message()
	}
	if err != nil {
		return nil, err
	}
	if base == nil && m.ID != "" {
		return nil, fmt.Errorf("tool_message has the id %q; the host gives ids to new messages", clean(m.ID, 64))
	}
	if (m.Role != "" && m.Role != abi.RoleTool) || (m.ToolCallID != "" && m.ToolCallID != callID) {
		return nil, fmt.Errorf("tool_message must have the role \"tool\" and answer the call %q", clean(callID, 64))
	}
	if m.Status != "" && m.Status != abi.StatusSuccess && m.Status != abi.StatusError {
		return nil, fmt.Errorf("tool_message has the status %q; it must be \"success\" or \"error\"", clean(m.Status, 64))
	}
	return &m, nil
}
