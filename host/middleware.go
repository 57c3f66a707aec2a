package host

import (
	"context"
	"log/slog"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/store"
)

// Middleware is the configuration of a middleware.
//
// Its life cycle: [New] calls Hooks once, when the agent is built. The hooks then serve all runs of the agent, several at once.
// [Agent.Swap] may replace the middleware for runs that begin later. When no run uses the hooks any more, the agent calls
// Hooks.Close, at the latest in [Agent.Close]. Native middleware, Wasm plugins and Extism plugins have the same form, and a run
// cannot tell them apart.
type Middleware interface {
	// Name names the middleware in steps, events and errors. If several have the same name, the second gets the suffix #2, the
	// third #3, and so on.
	Name() string
	// Hooks checks the configuration and makes the hooks.
	Hooks(ctx context.Context, env Env) (*Hooks, error)
}

// Env is what an agent offers to a middleware while the agent is built.
type Env struct {
	Name   string // the middleware's name in this agent, including a suffix such as #2
	Agent  string // the agent's name
	Logger *slog.Logger
	Model  model.Model            // the agent's model
	Models map[string]model.Model // the agent's named models
	Tools  []Tool                 // the agent's own tools, without those of middleware
	Store  store.Store            // the agent's store; nil: none

	Checkpointer checkpoint.Store // keeps the agent's threads; nil: none
	Middleware   []Middleware     // the agent's middleware, as configured; see [Unwrapped]
	SystemPrompt abi.Content      // the agent's system prompt, without what middleware adds

	config *Config // the agent's; nil outside of a build
}

// Unwrapped removes all wrappers from a middleware and returns the innermost one. A wrapper gives another middleware a
// different name or place, and has a method Unwrap() Middleware. Any other middleware is returned as it is.
func Unwrapped(m Middleware) Middleware {
	for {
		wrapper, ok := m.(interface{ Unwrap() Middleware })
		if !ok {
			return m
		}
		m = wrapper.Unwrap()
	}
}

// Hooks are the hooks of a middleware and what they need. A hook whose Func is nil is absent and costs nothing.
type Hooks struct {
	BeforeAgent   NodeHook
	BeforeModel   NodeHook
	AfterModel    NodeHook
	AfterAgent    NodeHook
	WrapModelCall WrapModelHook
	WrapToolCall  WrapToolHook
	State         []Field
	Uses          []string // fields of others that the hooks read or write by name; New refuses undeclared ones
	Calls         []string // tools that the hooks call by name; New refuses tools that the agent does not have
	Guards        []string // tools that the hooks protect or limit; New refuses tools that the agent does not have
	MayGuard      []string // tools that the hooks protect or limit if the agent has them
	// Approves reports whether the middleware, which asks about the tool's calls, honours a standing approval of them: a person's
	// decision to approve further calls, see package approval. nil: never. It may be called from several goroutines at once.
	Approves     func(tool string) bool
	Expects      []string                     // other tools that the configuration names; the agent only advises about missing ones
	Capabilities []Capability                 // capabilities that the middleware asked for; for display
	Sandbox      func(now time.Time) *Sandbox // how a plugin is held, for display; it may be called from several goroutines at once
	Tools        []Tool
	UsesTools    bool    // the hooks depend on [Env.Tools]: if these tools change, the middleware makes its hooks again
	Order        []Order // where the middleware belongs in the list
	// Kind is the name by which other middleware refers to this one in an Order. "": its name, up to the first "[".
	Kind string
	// Version and Digest identify a plugin's module and are part of the agent's program. A run does not continue with a
	// middleware whose version or digest has changed, unless the input accepts that. "" counts as a version and a digest too.
	Version, Digest string
	// TracePolicy returns what a [Tracer] is told of the end of a call of one of the hooks, given the event that reports it. It must change
	// a copy of what the event refers to. nil: it is told all.
	TracePolicy func(e Event) Event
	// Changed is called before each run. It reports, once per change, whether the middleware would now make different hooks.
	Changed func() bool
	// End is called once when a run is over for good: when it completed, when it stopped without a thread in which it could
	// continue, when a new run of its thread replaced it, or when its thread was removed (see Agent.Forget). ctx outlives the
	// run's context.
	End   func(ctx context.Context, run string)
	Close func() error // called once, when no hook runs any more
}

// Order states on which side of another middleware this one belongs: outside it, which is before it in the list, or inside it.
// Exactly one of Outside and Inside is set. An agent with the wrong order works as configured, but its [Layout] and log advise
// against it, with the reason.
type Order struct {
	Outside, Inside string // the kind of the other middleware, see [Hooks.Kind]
	Reason          string // what goes wrong in the wrong order: a sentence without a capital letter or a full stop
	Protects        bool   // in the wrong order, something is not protected: the advice is a warning in the log, and not a detail
}

// Update is what a hook or a tool changes in the state.
type Update = abi.Update

// NodeFunc is a hook that is a step of its own. It sees the state in rt and returns what to change; nil changes nothing.
type NodeFunc func(ctx context.Context, rt *Runtime) (*Update, error)

// NodeHook is a before_agent, before_model, after_model or after_agent hook.
type NodeHook struct {
	Func      NodeFunc
	CanJumpTo []abi.Target // where its updates may jump to
	View      abi.ViewSpec // the messages that [Runtime.View] shows
	Pool      *Pool        // the pool that a call takes an instance of; nil: none
}

// ModelHandler is the rest of a model call: the inner middleware and, innermost, the model.
type ModelHandler func(ctx context.Context, req *model.Request) (*model.Response, error)

// WrapModelFunc is a wrap_model_call hook. It may change the request, call next any number of times, and change or replace
// the response. The update, which may be nil, is applied after the response, updates of inner layers first. If next returns
// an interrupt or a cancellation, that error propagates, whatever the hook returns.
type WrapModelFunc func(ctx context.Context, rt *Runtime, req *model.Request, next ModelHandler) (*model.Response, *Update, error)

// WrapModelHook is a wrap_model_call hook.
type WrapModelHook struct {
	Func         WrapModelFunc
	PassesTokens bool // the hook does not change the answer, so that tokens may stream past it
	// StreamFilter makes a filter that edits the tokens that stream past a hook which changes the answer. nil: if PassesTokens is
	// false too, tokens are held back and the answer comes as a whole.
	StreamFilter func() StreamFilter
	Pool         *Pool // the pool that a call takes an instance of; nil: none
}

// ToolHandler is the rest of a tool call: the inner middleware and, innermost, the tool.
type ToolHandler func(ctx context.Context, req *ToolRequest) (*abi.Message, error)

// WrapToolFunc is a wrap_tool_call hook, see [WrapModelFunc]. Its message is the tool message that answers the call.
type WrapToolFunc func(ctx context.Context, rt *Runtime, req *ToolRequest, next ToolHandler) (*abi.Message, *Update, error)

// ReviseFunc returns the call to perform in place of one that the model, a hook or a tool asked for; nil keeps that call.
// The name and the arguments may differ; the id stays. An error, which may be an interrupt, prevents the call from
// beginning.
type ReviseFunc func(ctx context.Context, rt *Runtime, call *abi.ToolCall) (*abi.ToolCall, error)

// WrapToolHook is a wrap_tool_call hook.
type WrapToolHook struct {
	Func  WrapToolFunc
	Tools []string // the tools whose calls the hook wraps; empty: all
	// Nested restricts the hook to calls that no after_model hook has seen in this form: calls that hooks and tools make, see
	// [Runtime.CallTool], and calls that a Revise changed. It is for a middleware that judges the calls of the model in another
	// hook.
	Nested bool
	// Revise is called for each call that the hook wraps, before the outermost hook begins, so that all hooks, whatever their
	// order, see the call that is performed. When one hook changes the call, all are asked again, the outermost first, until none
	// changes anything. Its Runtime is like that of Func, including answers. nil: calls stay as they are.
	Revise ReviseFunc
	Pool   *Pool // the pool that a call takes an instance of; nil: none
}
