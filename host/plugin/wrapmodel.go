package plugin

import (
	"context"
	"errors"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
)

// wrapModelCall is one call of a wrap_model_call hook.
type wrapModelCall struct {
	wrapCall[model.Request, model.Response]
}

// wrapModel makes the wrap_model_call hook.
func (p *Plugin) wrapModel(spec *abi.HookSpec) host.WrapModelFunc {
	reads := sorted(spec.Reads)
	return func(ctx context.Context, rt *host.Runtime, req *model.Request, next host.ModelHandler) (*model.Response, *host.Update, error) {
		w := &wrapModelCall{wrapCall[model.Request, model.Response]{ctx: ctx, plugin: p, spec: spec, rt: rt, req: req, next: next}}
		return w.finish(p.call(ctx, rt, w, func(c *hookCall) {
			c.export, c.input.reads = string(abi.WrapModelCall), reads
			c.reads = access{reads, !spec.Messages.IsZero()}
			c.input.request, c.input.models = req, spec.Messages
		}))
	}
}

// callNext has the rest of the chain answer the request that the guest wants.
func (c *wrapModelCall) callNext(i *instance, payload []byte) (abi.Status, []byte, error) {
	req := c.req
	if len(payload) > 0 {
		var change abi.RequestChange
		if err := i.decode(i.frame.export, payload, &change); err != nil {
			return 0, nil, err
		}
		var err error
		if req, err = c.plugin.changeRequest(c.req, &change); err != nil {
			if errors.Is(err, errNoModel) {
				return abi.ENOENT, nil, nil
			}
			return 0, nil, err
		}
	}
	return c.forward(req, func(r *model.Response) ([]byte, error) {
		return responseDocument(r).MarshalMsg(nil)
	})
}

func responseDocument(r *model.Response) *abi.ModelResponse {
	return &abi.ModelResponse{Messages: r.Messages, Model: r.Model, StopReason: r.StopReason, Structured: r.Structured}
}

// accept checks a result and derives its response.
func (c *wrapModelCall) accept(r *abi.Result) error {
	if r.ToolMessage != nil {
		return errors.New("tool_message is for wrap_tool_call and call_tool, not wrap_model_call")
	}
	if err := c.plugin.checkWrapUpdate(c.rt, c.spec.Writes, r); err != nil {
		return err
	}
	if r.Response == nil {
		return nil
	}
	if err := c.mayChange("response"); err != nil {
		return err
	}
	return c.respond(r.Response)
}

func (c *wrapModelCall) respond(change *abi.ResponseChange) error {
	out := &model.Response{}
	if base := c.base(); base != nil {
		*out = *base
	}
	if len(change.Messages) > 0 {
		messages := make([]abi.Message, 0, len(change.Messages))
		for i := range change.Messages {
			m, err := c.responseMessage(&change.Messages[i])
			if err != nil {
				return err
			}
			messages = append(messages, m)
		}
		out.Messages = messages
	}
	if out.AI() == nil {
		return errors.New("the response has no AI message")
	}
	if change.Model != "" {
		out.Model = change.Model
	}
	if change.StopReason != "" {
		out.StopReason = change.StopReason
	}
	if !change.Structured.IsZero() {
		out.Structured = change.Structured
	}
	c.made = out
	return nil
}

// responseMessage returns a changed message of the last reply, or a new one.
func (c *wrapModelCall) responseMessage(p *abi.Patch) (abi.Message, error) {
	m, err := c.patchedMessage(p)
	if err == nil {
		err = checkArgs(&m)
	}
	return m, err
}

func (c *wrapModelCall) patchedMessage(p *abi.Patch) (abi.Message, error) {
	id := p.ID()
	if id == "" {
		m, err := p.Message()
		if m.Role == "" {
			m.Role = abi.RoleAI
		}
		if err == nil && m.Role != abi.RoleAI && m.Role != abi.RoleTool {
			err = fmt.Errorf("a new message of the response has the role %q; it must be \"ai\" or \"tool\"", clean(string(m.Role), 64))
		}
		return m, err
	}
	if base := c.base(); base != nil {
		for i := range base.Messages {
			if base.Messages[i].ID != id {
				continue
			}
			m, err := p.Apply(&base.Messages[i])
			if err == nil && m.ToolCallID != base.Messages[i].ToolCallID {
				err = fmt.Errorf("the response changes the tool_call_id of the message %q", clean(id, 64))
			}
			return m, err
		}
	}
	return abi.Message{}, fmt.Errorf("the response changes the message %q, which the last reply does not have", clean(id, 64))
}
