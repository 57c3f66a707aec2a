package abi

import "github.com/agenthost/agenthost/abi/wire"

//msgp:tag msgpack

// Description is how a plugin describes itself. From describe, it is the upper bound of what the plugin may do. From
// configure, it is what the plugin does with this configuration, which must stay within that bound.
type Description struct {
	ABI          uint64       `msgpack:"abi"` // the version, 1
	Capabilities []Capability `msgpack:"capabilities,omitempty"`
	ConfigSchema wire.Raw     `msgpack:"config_schema,omitzero"` // a JSON Schema for the configuration; absent: the plugin takes no configuration
	Context      []string     `msgpack:"context,omitempty"`      // 1.1: keys of the run's context that the plugin is shown; each must be granted
	Fields       []FieldSpec  `msgpack:"fields,omitempty"`
	Guards       bool         `msgpack:"guards,omitempty"` // the plugin protects something: a run must not go on without it after a fault
	Hooks        HookSpecs    `msgpack:"hooks"`
	Name         string       `msgpack:"name"`
	Tools        []ToolSpec   `msgpack:"tools,omitempty"`
	Version      string       `msgpack:"version"` // version of the plugin
}

// HookSpecs holds a spec for each hook that the plugin has.
type HookSpecs struct {
	AfterAgent    *HookSpec `msgpack:"after_agent,omitempty"`
	AfterModel    *HookSpec `msgpack:"after_model,omitempty"`
	BeforeAgent   *HookSpec `msgpack:"before_agent,omitempty"`
	BeforeModel   *HookSpec `msgpack:"before_model,omitempty"`
	WrapModelCall *HookSpec `msgpack:"wrap_model_call,omitempty"`
	WrapToolCall  *HookSpec `msgpack:"wrap_tool_call,omitempty"`
}

// HookSpec declares what one hook reads and may do.
type HookSpec struct {
	CanJumpTo    []string `msgpack:"can_jump_to,omitempty"`   // node hooks: "model", "tools", "end"
	Messages     ViewSpec `msgpack:"messages,omitzero"`       // which messages the hook sees
	PassesTokens bool     `msgpack:"passes_tokens,omitempty"` // wrap_model_call: the hook does not change the model's answer, so tokens may stream past it
	Reads        []string `msgpack:"reads,omitempty"`         // fields the hook sees; fields of other middleware must be granted
	Tools        []string `msgpack:"tools,omitempty"`         // wrap_tool_call: only calls of these tools; absent: all
	Writes       []string `msgpack:"writes,omitempty"`        // fields of other middleware that the hook writes
}

// FieldSpec declares a state field.
type FieldSpec struct {
	HideInput  bool     `msgpack:"hide_input,omitempty"`  // the caller cannot set the field
	HideOutput bool     `msgpack:"hide_output,omitempty"` // results do not contain the field
	Lifetime   string   `msgpack:"lifetime"`              // "thread", "run" or "step"
	Name       string   `msgpack:"name"`
	Reducer    string   `msgpack:"reducer,omitempty"` // "last" (or absent), "add" or "append"
	Schema     wire.Raw `msgpack:"schema,omitzero"`   // a JSON Schema for its values
}

// ToolSpec declares a tool.
type ToolSpec struct {
	Description  string   `msgpack:"description"`
	Dynamic      bool     `msgpack:"dynamic,omitempty"`    // the model is never offered the tool, see CallChange.Tool
	Extras       wire.Map `msgpack:"extras,omitzero"`      // for the provider, such as defer_loading: it gets those that it knows
	Idempotent   bool     `msgpack:"idempotent,omitempty"` // running the tool again after a crash does no harm
	Name         string   `msgpack:"name"`
	Parameters   wire.Raw `msgpack:"parameters,omitzero"`     // a JSON Schema of type object; absent: no parameters
	ReturnDirect bool     `msgpack:"return_direct,omitempty"` // the result of the tool ends the run
}

// Capability is an operation that the plugin asks for and that needs a grant.
type Capability struct {
	Op       string `msgpack:"op"`
	Reason   string `msgpack:"reason"`             // shown to the operator who grants it
	Required bool   `msgpack:"required,omitempty"` // the plugin is not loaded without this capability
}
