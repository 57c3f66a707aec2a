package sdk

import "github.com/agenthost/agenthost/abi"

// The interfaces of hooks. A plugin implements those that it needs. A nil update, patch or change changes nothing. An
// error fails the hook. It is an ordinary error, which other middleware may retry or turn into an answer.
type (
	// BeforeAgentHook runs once when a run starts.
	BeforeAgentHook interface {
		BeforeAgent(c *Call) (*Update, error)
	}
	// BeforeModelHook runs before every model call.
	BeforeModelHook interface {
		BeforeModel(c *Call) (*Update, error)
	}
	// AfterModelHook runs after every model call.
	AfterModelHook interface {
		AfterModel(c *Call) (*Update, error)
	}
	// AfterAgentHook runs once when a run ends.
	AfterAgentHook interface {
		AfterAgent(c *Call) (*Update, error)
	}
	// WrapModelCallHook runs around every model call.
	WrapModelCallHook interface {
		WrapModelCall(c *ModelCall) (*ResponseChange, *Update, error)
	}
	// WrapToolCallHook runs around every tool call.
	WrapToolCallHook interface {
		WrapToolCall(c *ToolCall) (*Patch, *Update, error)
	}
	// ToolRunner runs the tools that the plugin's Description lists.
	ToolRunner interface {
		CallTool(c *ToolCall) (*Patch, *Update, error)
	}
	// Configurer receives the configuration, with defaults filled in, once in every instance. It may return a
	// narrower Description; nil keeps the registered one.
	Configurer interface {
		Configure(config Map) (*Description, error)
	}
)

// The hooks of this module's plugin. A hook that the plugin does not have is nil.
var (
	beforeAgent   BeforeAgentHook
	beforeModel   BeforeModelHook
	afterModel    AfterModelHook
	afterAgent    AfterAgentHook
	wrapModelCall WrapModelCallHook
	wrapToolCall  WrapToolCallHook
	toolRunner    ToolRunner
	configurer    Configurer
	description   Description
)

// Register makes p the plugin of this module. Call it from an init function. A hook that p implements but the
// Description does not list gets an empty spec, so it sees no messages and no fields. Register panics if the
// Description lists a hook that p does not implement, or if it lists tools and p is not a [ToolRunner].
func Register(p any, d Description) {
	d.ABI = abi.Major
	description = d
	h := &description.Hooks
	var ok bool
	beforeAgent, ok = p.(BeforeAgentHook)
	settle(&h.BeforeAgent, ok, abi.BeforeAgent)
	beforeModel, ok = p.(BeforeModelHook)
	settle(&h.BeforeModel, ok, abi.BeforeModel)
	afterModel, ok = p.(AfterModelHook)
	settle(&h.AfterModel, ok, abi.AfterModel)
	afterAgent, ok = p.(AfterAgentHook)
	settle(&h.AfterAgent, ok, abi.AfterAgent)
	wrapModelCall, ok = p.(WrapModelCallHook)
	settle(&h.WrapModelCall, ok, abi.WrapModelCall)
	wrapToolCall, ok = p.(WrapToolCallHook)
	settle(&h.WrapToolCall, ok, abi.WrapToolCall)
	configurer, _ = p.(Configurer)
	if toolRunner, ok = p.(ToolRunner); !ok && len(d.Tools) > 0 {
		panic("sdk.Register: the Description lists tools, but the plugin has no CallTool")
	}
}

func settle(spec **HookSpec, implemented bool, hook abi.Hook) {
	switch {
	case implemented && *spec == nil:
		*spec = &HookSpec{}
	case !implemented && *spec != nil:
		panic("sdk.Register: the Description lists " + string(hook) + ", which the plugin does not implement")
	}
}
