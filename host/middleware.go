package host

import (
	"context"
	"log/slog"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/store"
)

// Middleware is the configuration of a middleware. Its life: New calls Hooks once, when the agent is built; the hooks
// then serve all runs of the agent, several at once; the agent's Close calls Hooks.Close. A native middleware, a Wasm
// plugin and an Extism plugin have the same form, and nothing in a run tells them apart.
type Middleware interface {
	// Name names the middleware in steps, events and errors. Where two have the same name the later gets the suffix
	// #2, #3, ….
	Name() string
	// Hooks checks the configuration and makes the hooks.
	Hooks(ctx context.Context, env Env) (*Hooks, error)
}

// Env is what an agent offers its middleware while it is built.
type Env struct {
	Name   string // the middleware's name in this agent, with its suffix
	Agent  string // the agent's name
	Logger *slog.Logger
	Model  model.Model            // the agent's model
	Models map[string]model.Model // the agent's named models
	Tools  []Tool                 // the agent's own tools, without those of middleware
	Store  store.Store            // the agent's store; nil: it has none

	Checkpointer checkpoint.Store // keeps the agent's threads; nil: nothing does
	Middleware   []Middleware     // the agent's middleware, as it is configured; see [Unwrapped]

	config *Config // the agent's; nil outside of a build
}

// Unwrapped returns the middleware inside of one that gives it another name or place, by a method Unwrap() Middleware; any other
// as it is.
func Unwrapped(m Middleware) Middleware {
	for {
		wrapper, ok := m.(interface{ Unwrap() Middleware })
		if !ok {
			return m
		}
		m = wrapper.Unwrap()
	}
}

// Hooks is what a middleware does. A hook whose Func is nil is absent and costs nothing.
type Hooks struct {
	BeforeAgent   NodeHook
	BeforeModel   NodeHook
	AfterModel    NodeHook
	AfterAgent    NodeHook
	WrapModelCall WrapModelHook
	WrapToolCall  WrapToolHook
	State         []Field
	Uses          []string     // fields of others that the hooks read or write by name; New refuses one that nobody declares
	Calls         []string     // tools that the hooks call by name; New refuses one that the agent does not have
	Expects       []string     // tools that its configuration names; where the agent lacks one, it says so and works as it is told
	Capabilities  []Capability // what it asked for; it is shown to people
	Tools         []Tool
	Order         []Order // where it should stand among others
	// Kind is what the Order of others calls the middleware. "": its name, up to the first "[".
	Kind string
	// Version and Digest, of a plugin's module, tell the program of an agent from others: a run does not go on with a
	// middleware that has other ones, unless that is accepted. "" is a version and a digest too.
	Version, Digest string
	Changed         func() bool // asked before each run: whether the middleware would make other hooks now; it says so once
	// End is called once when a run is over for good: it has completed, it stopped and has no thread in which it could go
	// on, or it was given up for a new run of its thread, or with that (see Agent.Forget). The context does not end with the run's.
	End   func(ctx context.Context, run string)
	Close func() error // called once, when no hook runs any more
}

// Order says on which side of another middleware one should stand: outside of it, which is before it in the list, or
// inside. One of both is set. Where an agent has them the other way round, it says so and why, and works as it is told.
type Order struct {
	Outside, Inside string // the kind of the other, see [Hooks.Kind]
	Reason          string // what goes wrong otherwise, as a sentence without a capital and a full stop
}

// Update is what a hook or a tool changes in the state.
type Update = abi.Update

// NodeFunc is a hook that is a step of its own. It sees the state in rt and returns what to change; nil is nothing.
type NodeFunc func(ctx context.Context, rt *Runtime) (*Update, error)

// NodeHook is a before_agent, before_model, after_model or after_agent hook.
type NodeHook struct {
	Func      NodeFunc
	CanJumpTo []abi.Target // where its updates may jump to
	View      abi.ViewSpec // what [Runtime.View] shows of the messages
	Pool      *Pool        // what it needs to run; nil: nothing
}

// ModelHandler is the rest of a model call: the inner middleware and, innermost, the model.
type ModelHandler func(ctx context.Context, req *model.Request) (*model.Response, error)

// WrapModelFunc is a wrap_model_call hook. It may change the request, call next any number of times, and change or make
// the response. The update, which may be nil, is applied after the response, that of inner layers first. If next
// reports an interrupt or a cancellation, it is that which goes outward, whatever the hook returns.
type WrapModelFunc func(ctx context.Context, rt *Runtime, req *model.Request, next ModelHandler) (*model.Response, *Update, error)

// WrapModelHook is a wrap_model_call hook.
type WrapModelHook struct {
	Func         WrapModelFunc
	PassesTokens bool // it does not change what the model says, so that tokens may stream past it
	// StreamFilter makes what edits tokens that stream past a hook which changes what the model says. nil: if it does not pass
	// tokens, they are held back, and the answer comes as a whole.
	StreamFilter func() StreamFilter
	Pool         *Pool // what it needs to run; nil: nothing
}

// ToolHandler is the rest of a tool call: the inner middleware and, innermost, the tool.
type ToolHandler func(ctx context.Context, req *ToolRequest) (*abi.Message, error)

// WrapToolFunc is a wrap_tool_call hook, see [WrapModelFunc]. Its message is the tool message that answers the call.
type WrapToolFunc func(ctx context.Context, rt *Runtime, req *ToolRequest, next ToolHandler) (*abi.Message, *Update, error)

// ReviseFunc says which call to perform in the place of one that the model, a hook or a tool has asked for; nil: that one.
// Name and arguments may differ, the id stays. An error, which may be an interrupt, keeps the call from beginning.
type ReviseFunc func(ctx context.Context, rt *Runtime, call *abi.ToolCall) (*abi.ToolCall, error)

// WrapToolHook is a wrap_tool_call hook.
type WrapToolHook struct {
	Func  WrapToolFunc
	Tools []string // it wraps only calls of these tools; empty: all
	// Nested wraps only calls that no after_model hook has seen as they are performed: those that hooks and tools make, see
	// [Runtime.CallTool], and those that a Revise has changed. It is for a middleware that judges the calls of the model in
	// another hook.
	Nested bool
	// Revise is asked about each call that the hook wraps, before the outermost hook begins: all hooks, whatever their order,
	// see the call that is performed. When one changes the call all are asked again, the outermost first, until nobody changes
	// anything. Its Runtime is like that of Func, answers included. nil: calls stay as they are.
	Revise ReviseFunc
	Pool   *Pool // what it needs to run; nil: nothing
}
