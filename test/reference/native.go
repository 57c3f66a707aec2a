package reference

import (
	"context"
	"errors"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/test/reference/probe"
)

// nativeProbe performs a probe as native middleware.
type nativeProbe struct {
	probe  *probe.Probe
	record *recorder
	models map[string]model.Model
	tools  map[string]host.Tool // dynamic ones
}

func newNativeProbe(m *MiddlewareSpec, record *recorder, _ []string) (host.Middleware, error) {
	return &nativeProbe{probe: m.Probe, record: record}, nil
}

// Name returns the probe's name.
func (p *nativeProbe) Name() string { return p.probe.Name }

// Hooks makes the hooks that the file lists.
func (p *nativeProbe) Hooks(_ context.Context, env host.Env) (*host.Hooks, error) {
	p.models = env.Models
	dynamic := hostTools(p.probe.Dynamic, p.record)
	p.tools = map[string]host.Tool{}
	for _, t := range dynamic {
		p.tools[t.Spec().Name] = t
	}
	fields, err := hostFields(p.probe.Fields)
	if err != nil {
		return nil, err
	}
	hooks := &host.Hooks{State: fields, Tools: append(hostTools(p.probe.Tools, p.record), dynamic...)}
	for name, hook := range map[abi.Hook]*host.NodeHook{
		abi.BeforeAgent: &hooks.BeforeAgent, abi.BeforeModel: &hooks.BeforeModel,
		abi.AfterModel: &hooks.AfterModel, abi.AfterAgent: &hooks.AfterAgent,
	} {
		if script := p.probe.Hook(name); script != nil {
			*hook = host.NodeHook{CanJumpTo: script.CanJumpTo, Func: func(_ context.Context, rt *host.Runtime) (*host.Update, error) {
				return script.Node(nativeCall{rt})
			}}
		}
	}
	if script := p.probe.Hook(abi.WrapModelCall); script != nil {
		hooks.WrapModelCall.Func = p.wrapModel(script)
	}
	if script := p.probe.Hook(abi.WrapToolCall); script != nil {
		hooks.WrapToolCall = host.WrapToolHook{Func: p.wrapTool(script), Tools: script.Tools}
	}
	return hooks, nil
}

// modelFrame is one call of wrap_model_call as its script sees it.
type modelFrame struct {
	nativeCall
	probe *nativeProbe
	ctx   context.Context //nolint:containedctx // of the one call
	req   *model.Request
	next  host.ModelHandler
	last  *model.Response
}

func (p *nativeProbe) wrapModel(script *probe.Hook) host.WrapModelFunc {
	return func(ctx context.Context, rt *host.Runtime, req *model.Request, next host.ModelHandler) (*model.Response, *host.Update, error) {
		f := &modelFrame{nativeCall: nativeCall{rt}, probe: p, ctx: ctx, req: req, next: next}
		change, update, err := script.Model(f)
		if err != nil {
			return nil, nil, err
		}
		resp, err := f.respond(change)
		return resp, update, err
	}
}

func (f *modelFrame) Request() *abi.ModelRequest {
	r := &abi.ModelRequest{System: f.req.System, ToolChoice: f.req.ToolChoice, Settings: f.req.Settings, Tools: []string{}}
	for i := range f.req.Tools {
		r.Tools = append(r.Tools, f.req.Tools[i].Name)
	}
	return r
}

func (f *modelFrame) Next(change *abi.RequestChange) (*abi.ModelResponse, error) {
	req := f.req
	if change != nil {
		var err error
		if req, err = f.changed(change); err != nil {
			return nil, err
		}
	}
	resp, err := f.next(f.ctx, req)
	if err != nil {
		return nil, err
	}
	f.last = resp
	return &abi.ModelResponse{Messages: resp.Messages, Model: resp.Model, StopReason: resp.StopReason, Structured: resp.Structured}, nil
}

func (f *modelFrame) changed(c *abi.RequestChange) (*model.Request, error) {
	req := f.req
	if c.Model != "" {
		m, ok := f.probe.models[c.Model]
		if !ok {
			return nil, fmt.Errorf("there is no model %q", c.Model)
		}
		req = req.WithModel(m)
	}
	if c.System != nil {
		req = req.WithSystem(*c.System)
	}
	if c.ToolChoice != nil {
		req = req.WithToolChoice(*c.ToolChoice)
	}
	if len(c.Settings) > 0 {
		req = req.WithSettings(c.Settings)
	}
	if c.Tools != nil {
		req = req.KeepTools(c.Tools)
	}
	if len(c.AddTools) > 0 {
		req = req.AddTools(c.AddTools)
	}
	if c.Overwrite || len(c.Messages) > 0 {
		messages, err := req.Messages.Apply(&abi.Update{Overwrite: c.Overwrite, Messages: c.Messages})
		if err != nil {
			return nil, err
		}
		req = req.WithMessages(messages)
	}
	return req, nil
}

// respond applies a change to the last response, or makes a response from the change.
func (f *modelFrame) respond(change *abi.ResponseChange) (*model.Response, error) {
	if change == nil {
		return f.last, nil
	}
	out := &model.Response{}
	if f.last != nil {
		*out = *f.last
	}
	out.Messages = make([]abi.Message, 0, len(change.Messages))
	for _, patch := range change.Messages {
		m, err := f.message(patch)
		if err != nil {
			return nil, err
		}
		out.Messages = append(out.Messages, m)
	}
	return out, nil
}

func (f *modelFrame) message(patch abi.Patch) (abi.Message, error) {
	if f.last != nil && patch.ID() != "" {
		for i := range f.last.Messages {
			if f.last.Messages[i].ID == patch.ID() {
				return patch.Apply(&f.last.Messages[i])
			}
		}
	}
	return patch.Message()
}

// toolFrame is one call of wrap_tool_call as its script sees it.
type toolFrame struct {
	nativeCall
	probe *nativeProbe
	ctx   context.Context //nolint:containedctx // of the one call
	req   *host.ToolRequest
	next  host.ToolHandler
	last  *abi.Message
}

func (p *nativeProbe) wrapTool(script *probe.Hook) host.WrapToolFunc {
	return func(ctx context.Context, rt *host.Runtime, req *host.ToolRequest, next host.ToolHandler) (*abi.Message, *host.Update, error) {
		f := &toolFrame{nativeCall: nativeCall{rt}, probe: p, ctx: ctx, req: req, next: next}
		patch, update, err := script.Tool(f)
		if err != nil {
			return nil, nil, err
		}
		message, err := f.answer(patch)
		return message, update, err
	}
}

func (f *toolFrame) ToolCall() *abi.ToolCall { return &f.req.Call }
func (f *toolFrame) Known() bool             { return f.req.Known() }

func (f *toolFrame) Next(change *abi.CallChange) (*abi.Message, error) {
	req := f.req
	if change != nil {
		var err error
		if req, err = f.changed(change); err != nil {
			return nil, err
		}
	}
	message, err := f.next(f.ctx, req)
	f.last = message
	return message, err
}

func (f *toolFrame) changed(c *abi.CallChange) (*host.ToolRequest, error) {
	req := f.req
	if !c.Args.IsZero() {
		req = req.WithArgs(c.Args)
	}
	if len(c.SetArgs) > 0 {
		var args wire.Map
		if _, err := args.UnmarshalMsg(req.Call.Args); err != nil {
			return nil, err
		}
		req = req.WithArgs(args.With(c.SetArgs).Raw())
	}
	if c.Name != "" {
		req = req.WithName(c.Name)
	}
	if c.Tool != "" {
		t, ok := f.probe.tools[c.Tool]
		if !ok {
			return nil, fmt.Errorf("there is no dynamic tool %q", c.Tool)
		}
		req = req.WithTool(t)
	}
	return req, nil
}

func (f *toolFrame) answer(patch *abi.Patch) (*abi.Message, error) {
	if patch == nil {
		if f.last == nil {
			return nil, errors.New("the script has no answer")
		}
		return f.last, nil
	}
	m := abi.Message{Role: abi.RoleTool}
	if f.last != nil {
		m = *f.last
	}
	out, err := patch.Apply(&m)
	return &out, err
}
