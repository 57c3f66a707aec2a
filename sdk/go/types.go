package sdk

import (
	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// Documents of the ABI, under the names that plugins use. Package abi describes their fields.

type (
	// Capability is an operation that a plugin asks for.
	Capability = abi.Capability
	// CallChange is the change of the call that WrapToolCall passes to Next.
	CallChange = abi.CallChange
	// Content is the content of a message: a text or blocks.
	Content = abi.Content
	// Description is how a plugin describes itself.
	Description = abi.Description
	// Error is an ordinary error, which other middleware may retry or answer.
	Error = abi.Error
	// FetchRequest is an HTTP request.
	FetchRequest = abi.FetchRequest
	// FetchResponse is the answer to an HTTP request.
	FetchResponse = abi.FetchResponse
	// FieldSpec declares a state field.
	FieldSpec = abi.FieldSpec
	// GenerateRequest is a call of a model.
	GenerateRequest = abi.GenerateRequest
	// Header is one line of an HTTP header.
	Header = abi.Header
	// HookSpec declares what a hook sees and may do.
	HookSpec = abi.HookSpec
	// HookSpecs holds a spec for each hook.
	HookSpecs = abi.HookSpecs
	// KVItem is an entry of a Store without its value.
	KVItem = abi.KVItem
	// Map is a map with string keys.
	Map = wire.Map
	// Message is one entry of the history.
	Message = abi.Message
	// ModelInfo is what the host knows about a model.
	ModelInfo = abi.ModelInfo
	// ModelRequest is the request of a model call.
	ModelRequest = abi.ModelRequest
	// ModelResponse is the response that Next returns in WrapModelCall.
	ModelResponse = abi.ModelResponse
	// Patch is a message document whose keys replace those of an existing message.
	Patch = abi.Patch
	// Raw is a value that is not decoded.
	Raw = wire.Raw
	// RequestChange is the change of the request that WrapModelCall passes to Next.
	RequestChange = abi.RequestChange
	// ResponseChange is the change of the last reply that WrapModelCall returns.
	ResponseChange = abi.ResponseChange
	// RunInfo says which run a hook or tool belongs to.
	RunInfo = abi.RunInfo
	// ToolSpec declares a tool.
	ToolSpec = abi.ToolSpec
	// Update holds the changes that a hook makes to the state.
	Update = abi.Update
)

// Text makes content from a text.
func Text(text string) Content { return abi.Text(text) }

// NewPatch makes a patch of the message with this id. The id "" means the answer to the present call.
func NewPatch(id string) Patch {
	if id == "" {
		return Patch{}
	}
	return abi.NewPatch(id)
}

// Schema makes a JSON Schema from Go literals. It panics on values that cannot be a schema.
func Schema(schema map[string]any) Raw {
	raw, err := wire.Of(schema)
	if err != nil {
		panic("sdk.Schema: " + err.Error())
	}
	return raw
}

// Values for state fields and documents.
var (
	String = wire.String
	Int    = wire.Int
	Bool   = wire.Bool
	Float  = wire.Float
)

// The views of the messages that a hook may declare.
var (
	ViewAll  = abi.ViewAll
	ViewLast = abi.ViewLast
	ViewNew  = abi.ViewNew
)
