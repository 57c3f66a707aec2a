package plugin

import (
	"context"
	"errors"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
)

// modelFrame is one call of a wrap_model_call hook.
type modelFrame struct {
	ctx    context.Context
	plugin *Plugin
	spec   *abi.HookSpec
	rt     *host.Runtime
	req    *model.Request
	next   host.ModelHandler

	called   bool            // next was called
	unseen   bool            // the last reply was too large to show
	last     *model.Response // of the last next
	lastErr  error
	response *model.Response // what the result makes of it; nil: the last one
}

// wrapModel makes the wrap_model_call hook.
func (p *Plugin) wrapModel(spec *abi.HookSpec) host.WrapModelFunc {
	reads := sorted(spec.Reads)
	return func(ctx context.Context, rt *host.Runtime, req *model.Request, next host.ModelHandler) (*model.Response, *host.Update, error) {
		f := &modelFrame{ctx: ctx, plugin: p, spec: spec, rt: rt, req: req, next: next}
		result, err := p.do(ctx, hookCall{
			export: string(abi.WrapModelCall), owner: f, reads: access{reads, !spec.Messages.IsZero()},
			input: hookInput{rt: rt, reads: reads, request: req, models: spec.Messages},
		})
		if err != nil {
			if !p.forgiven(rt, err) {
				return nil, nil, err
			}
			result = nil
		}
		return f.finish(result)
	}
}

// callNext lets the rest of the chain answer the request that the guest wants.
func (f *modelFrame) callNext(i *instance, payload []byte) (abi.Status, []byte, error) {
	req := f.req
	if len(payload) > 0 {
		var change abi.RequestChange
		if err := i.decode(i.frame.export, payload, &change); err != nil {
			return 0, nil, err
		}
		var err error
		if req, err = f.plugin.changeRequest(f.req, &change); err != nil {
			if errors.Is(err, errNoModel) {
				return abi.EINVAL, nil, nil
			}
			return 0, nil, err
		}
	}
	f.called = true
	f.last, f.lastErr = f.next(f.ctx, req)
	status, reply := statusOf(f.ctx, f.lastErr)
	if f.lastErr != nil {
		return status, reply, nil
	}
	doc := abi.ModelResponse{
		Messages: f.last.Messages, Model: f.last.Model, StopReason: f.last.StopReason, Structured: f.last.Structured,
	}
	reply, err := doc.MarshalMsg(nil)
	if f.unseen = err != nil || len(reply) > f.plugin.limits.Input; f.unseen {
		return abi.ETOOBIG, nil, nil
	}
	return abi.StatusOK, reply, nil
}

// accept checks a result and works out its response.
func (f *modelFrame) accept(r *abi.Result) error {
	if r.ToolMessage != nil {
		return errors.New("tool_message is for wrap_tool_call and call_tool, not wrap_model_call")
	}
	if err := f.plugin.checkWrapUpdate(f.rt, f.spec.Writes, r); err != nil {
		return err
	}
	switch {
	case r.Response == nil:
		return nil
	case f.unseen:
		return errors.New("response would change a reply that was too large to show")
	}
	return f.respond(r.Response)
}

func (f *modelFrame) respond(change *abi.ResponseChange) error {
	out := &model.Response{}
	if f.called && f.lastErr == nil {
		*out = *f.last
	}
	if len(change.Messages) > 0 {
		messages := make([]abi.Message, 0, len(change.Messages))
		for i := range change.Messages {
			m, err := f.responseMessage(&change.Messages[i])
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
	f.response = out
	return nil
}

// responseMessage is a message of the last reply, changed, or a new one.
func (f *modelFrame) responseMessage(p *abi.Patch) (abi.Message, error) {
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
	if f.called && f.lastErr == nil {
		for i := range f.last.Messages {
			if f.last.Messages[i].ID == id {
				return p.Apply(&f.last.Messages[i])
			}
		}
	}
	return abi.Message{}, fmt.Errorf("the response changes the message %q, which the last reply does not have", clean(id, 64))
}

// finish decides how the call ends: without a result, or without a response in it, the last next counts, and if there
// was none it is called now.
func (f *modelFrame) finish(result *abi.Result) (*model.Response, *host.Update, error) {
	var update *host.Update
	if result != nil {
		if err := outcome(result); err != nil {
			return nil, nil, err
		}
		u := result.Update()
		update = &u
	}
	if f.response != nil {
		return f.response, update, nil
	}
	if !f.called {
		f.last, f.lastErr = f.next(f.ctx, f.req)
	}
	if f.lastErr != nil {
		return nil, nil, f.lastErr
	}
	return f.last, update, nil
}
