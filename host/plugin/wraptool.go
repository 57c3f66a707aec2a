package plugin

import (
	"context"
	"errors"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/history"
)

// toolFrame is one call of a wrap_tool_call hook.
type toolFrame struct {
	plugin *Plugin
	spec   *abi.HookSpec
	rt     *host.Runtime
	req    *host.ToolRequest
	next   host.ToolHandler

	called  bool         // next was called
	last    *abi.Message // of the last next
	lastErr error
	message *abi.Message // what the result makes of it; nil: the last one
}

// wrapTool makes the wrap_tool_call hook.
func (p *Plugin) wrapTool(spec *abi.HookSpec) host.WrapToolFunc {
	reads := sorted(spec.Reads)
	return func(ctx context.Context, rt *host.Runtime, req *host.ToolRequest, next host.ToolHandler) (*abi.Message, *host.Update, error) {
		f := &toolFrame{plugin: p, spec: spec, rt: rt, req: req, next: next}
		c := hookCall{
			export: string(abi.WrapToolCall), fields: reads,
			input: hookInput{rt: rt, reads: reads, call: &req.Call, known: req.Known()},
			next: func(i *instance, payload []byte) (abi.Status, []byte, error) {
				return f.callNext(ctx, i, payload)
			},
			accept: f.accept,
		}
		if !spec.Messages.IsZero() {
			view := history.Show(rt.State().Messages(), spec.Messages)
			c.input.view = &view
		}
		result, err := p.do(ctx, &c)
		if err != nil {
			if !p.forgiven(rt, err) {
				return nil, nil, err
			}
			result = nil
		}
		return f.finish(ctx, result)
	}
}

// callNext lets the rest of the chain perform the call that the guest wants.
func (f *toolFrame) callNext(ctx context.Context, i *instance, payload []byte) (abi.Status, []byte, error) {
	req := f.req
	if len(payload) > 0 {
		var change abi.CallChange
		if err := i.decode(i.frame.export, payload, &change); err != nil {
			return 0, nil, err
		}
		var err error
		if req, err = f.plugin.changeCall(f.req, &change); err != nil {
			return 0, nil, err
		}
	}
	f.called = true
	f.last, f.lastErr = f.next(ctx, req)
	status, reply := statusOf(ctx, f.lastErr)
	if f.lastErr != nil {
		return status, reply, nil
	}
	doc := abi.ToolReply{ToolMessage: *f.last}
	reply, err := doc.MarshalMsg(nil)
	if err != nil || len(reply) > f.plugin.limits.Input {
		return abi.ETOOBIG, nil, nil
	}
	return abi.StatusOK, reply, nil
}

// accept checks a result and works out its message.
func (f *toolFrame) accept(r *abi.Result) error {
	if r.Response != nil {
		return errors.New("response is for wrap_model_call, not wrap_tool_call")
	}
	if err := f.plugin.checkWrapUpdate(f.rt, f.spec.Writes, r); err != nil {
		return err
	}
	if r.ToolMessage == nil {
		return nil
	}
	var base *abi.Message
	if f.called && f.lastErr == nil {
		base = f.last
	}
	m, err := answer(r.ToolMessage, base, f.req.Call.ID)
	f.message = m
	return err
}

// answer makes the message that answers a call: of a patch of base, or of what the patch says alone.
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
	if (m.Role != "" && m.Role != abi.RoleTool) || (m.ToolCallID != "" && m.ToolCallID != callID) {
		return nil, fmt.Errorf("tool_message must have the role \"tool\" and answer the call %q", clean(callID, 64))
	}
	if m.Status != "" && m.Status != abi.StatusSuccess && m.Status != abi.StatusError {
		return nil, fmt.Errorf("tool_message has the status %q; it must be \"success\" or \"error\"", clean(m.Status, 64))
	}
	return &m, nil
}

// finish decides how the call ends, as for a model call.
func (f *toolFrame) finish(ctx context.Context, result *abi.Result) (*abi.Message, *host.Update, error) {
	var update *host.Update
	if result != nil {
		if err := outcome(result); err != nil {
			return nil, nil, err
		}
		u := result.Update()
		update = &u
	}
	if f.message != nil {
		return f.message, update, nil
	}
	if !f.called {
		f.last, f.lastErr = f.next(ctx, f.req)
	}
	if f.lastErr != nil {
		return nil, nil, f.lastErr
	}
	return f.last, update, nil
}
