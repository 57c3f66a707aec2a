package host

import (
	"context"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
)

// Option configures a hook that a constructor such as [BeforeModel] makes.
type Option func(*hookOptions)

type hookOptions struct {
	jumps  []abi.Target
	view   abi.ViewSpec
	fields []Field
	tools  []Tool
	only   []string
	tokens bool
	filter func() StreamFilter
}

// CanJumpTo declares where a node hook may jump to.
func CanJumpTo(targets ...abi.Target) Option { return func(o *hookOptions) { o.jumps = targets } }

// WithView declares which messages [Runtime.View] shows to a node hook.
func WithView(view abi.ViewSpec) Option { return func(o *hookOptions) { o.view = view } }

// WithFields declares state fields.
func WithFields(fields ...Field) Option { return func(o *hookOptions) { o.fields = fields } }

// WithTools adds tools to the agent.
func WithTools(tools ...Tool) Option { return func(o *hookOptions) { o.tools = tools } }

// OnlyTools restricts a wrap_tool_call hook to calls of these tools.
func OnlyTools(names ...string) Option { return func(o *hookOptions) { o.only = names } }

// PassesTokens declares that a wrap_model_call hook does not change the model's answer, so that tokens may stream past it.
func PassesTokens() Option { return func(o *hookOptions) { o.tokens = true } }

// FilterTokens sets a filter that edits streamed tokens in the same way as the wrap_model_call hook edits the answer.
func FilterTokens(filter func() StreamFilter) Option {
	return func(o *hookOptions) { o.filter = filter }
}

// BeforeAgent makes a middleware with one before_agent hook.
func BeforeAgent(name string, fn NodeFunc, options ...Option) Middleware {
	return single(name, options, func(h *Hooks, o *hookOptions) { h.BeforeAgent = o.node(fn) })
}

// BeforeModel makes a middleware with one before_model hook.
func BeforeModel(name string, fn NodeFunc, options ...Option) Middleware {
	return single(name, options, func(h *Hooks, o *hookOptions) { h.BeforeModel = o.node(fn) })
}

// AfterModel makes a middleware with one after_model hook.
func AfterModel(name string, fn NodeFunc, options ...Option) Middleware {
	return single(name, options, func(h *Hooks, o *hookOptions) { h.AfterModel = o.node(fn) })
}

// AfterAgent makes a middleware with one after_agent hook.
func AfterAgent(name string, fn NodeFunc, options ...Option) Middleware {
	return single(name, options, func(h *Hooks, o *hookOptions) { h.AfterAgent = o.node(fn) })
}

// WrapModelCall makes a middleware with one wrap_model_call hook.
func WrapModelCall(name string, fn WrapModelFunc, options ...Option) Middleware {
	return single(name, options, func(h *Hooks, o *hookOptions) {
		h.WrapModelCall = WrapModelHook{Func: fn, PassesTokens: o.tokens, StreamFilter: o.filter}
	})
}

// WrapToolCall makes a middleware with one wrap_tool_call hook.
func WrapToolCall(name string, fn WrapToolFunc, options ...Option) Middleware {
	return single(name, options, func(h *Hooks, o *hookOptions) {
		h.WrapToolCall = WrapToolHook{Func: fn, Tools: o.only}
	})
}

// DynamicPrompt makes a middleware that replaces the system prompt of every model call by the result of fn.
func DynamicPrompt(fn func(ctx context.Context, rt *Runtime, req *model.Request) (string, error)) Middleware {
	return WrapModelCall("dynamic_prompt", func(
		ctx context.Context, rt *Runtime, req *model.Request, next ModelHandler,
	) (*model.Response, *Update, error) {
		prompt, err := fn(ctx, rt, req)
		if err != nil {
			return nil, nil, err
		}
		resp, err := next(ctx, req.WithSystem(abi.Text(prompt)))
		return resp, nil, err
	}, PassesTokens())
}

func (o *hookOptions) node(fn NodeFunc) NodeHook {
	return NodeHook{Func: fn, CanJumpTo: o.jumps, View: o.view}
}

// singleHook is a middleware with one hook.
type singleHook struct {
	name  string
	hooks Hooks
}

func single(name string, options []Option, set func(*Hooks, *hookOptions)) Middleware {
	var o hookOptions
	for _, option := range options {
		option(&o)
	}
	m := &singleHook{name: name, hooks: Hooks{State: o.fields, Tools: o.tools}}
	set(&m.hooks, &o)
	return m
}

func (m *singleHook) Name() string { return m.name }

func (m *singleHook) Hooks(context.Context, Env) (*Hooks, error) {
	hooks := m.hooks
	return &hooks, nil
}
