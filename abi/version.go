package abi

// The version of the contract. A breaking change needs a new major version with its own module name, which the host
// serves next to the old one. An additive change is a new operation of host_call or an optional key, and takes the
// next minor version.
const (
	Major = 1
	Minor = 1
)

// Names of the module interface.
const (
	Module     = "agenthost_v1"     // the module that a guest imports from
	Marker     = "agenthost_abi_v1" // the empty function that a guest exports to say which version it was built for
	Memory     = "memory"           // the exported memory of a guest
	Initialize = "_initialize"      // optional, called once in every new instance
)

// The imports of [Module].
const (
	ImportInputRead   = "input_read"
	ImportResultWrite = "result_write"
	ImportNext        = "next"
	ImportHostCall    = "host_call"
	ImportReplyRead   = "reply_read"
	ImportLog         = "log"
)

// The functions that a guest exports. [ExportDescribe] is () -> i32, the others are (len i32) -> i32.
const (
	ExportDescribe  = "describe"
	ExportConfigure = "configure"
	ExportCallTool  = "call_tool"
)

// The return values of an export. Any other value is a protocol fault.
const (
	ReturnNothing int32 = 0 // nothing to say
	ReturnResult  int32 = 1 // a result was written
)

// Hook names one of the six hooks. The guest's export has the same name.
type Hook string

// The hooks.
const (
	BeforeAgent   Hook = "before_agent"
	BeforeModel   Hook = "before_model"
	AfterModel    Hook = "after_model"
	AfterAgent    Hook = "after_agent"
	WrapModelCall Hook = "wrap_model_call"
	WrapToolCall  Hook = "wrap_tool_call"
)

// Hooks lists all hooks in the order in which a run calls them.
func Hooks() []Hook {
	return []Hook{BeforeAgent, BeforeModel, WrapModelCall, AfterModel, WrapToolCall, AfterAgent}
}

// IsNode reports whether h is its own step, as opposed to a wrapper around the model or a tool.
func (h Hook) IsNode() bool { return h != WrapModelCall && h != WrapToolCall }

// Spec returns the spec of a hook, or nil if the plugin does not have that hook.
func (s *HookSpecs) Spec(h Hook) *HookSpec {
	switch h {
	case BeforeAgent:
		return s.BeforeAgent
	case BeforeModel:
		return s.BeforeModel
	case AfterModel:
		return s.AfterModel
	case AfterAgent:
		return s.AfterAgent
	case WrapModelCall:
		return s.WrapModelCall
	case WrapToolCall:
		return s.WrapToolCall
	default:
		return nil
	}
}
