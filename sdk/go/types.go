package sdk

import (
	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// Documents of the ABI, under the names that plugins use. Package abi describes their fields.

type (
	// Capability is an operation that a plugin asks for.
	Capability = abi.Capability
	// CallChange is how the call differs that WrapToolCall passes to Next.
	CallChange = abi.CallChange
	// Content is what a message says: a text or blocks.
	Content = abi.Content
	// Description is what a plugin says of itself.
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
	// HookSpec declares what a hook is shown and may do.
	HookSpec = abi.HookSpec
	// HookSpecs holds a spec for each hook.
	HookSpecs = abi.HookSpecs
	// KVItem is an entry of a Store without its value.
	KVItem = abi.KVItem
	// Map is a map with string keys.
	Map = wire.Map
	// Message is one entry of the history.
	Message = abi.Message
	// ModelRequest is the request of a model call.
	ModelRequest = abi.ModelRequest
	// ModelResponse is what Next returns in WrapModelCall.
	ModelResponse = abi.ModelResponse
	// Patch is a message of which only the keys that are present count.
	Patch = abi.Patch
	// Raw is a value that is not decoded.
	Raw = wire.Raw
	// RequestChange is how the request differs that WrapModelCall passes to Next.
	RequestChange = abi.RequestChange
	// ResponseChange is how the response differs from the last reply.
	ResponseChange = abi.ResponseChange
	// ToolSpec declares a tool.
	ToolSpec = abi.ToolSpec
	// Update is what a hook changes in the state.
	Update = abi.Update
)

// Text makes content of a text.
func Text(text string) Content { return abi.Text(text) }

// NewPatch makes a change of the message with this id; of the answer to the present call the id is "".
func NewPatch(id string) Patch {
	if id == "" {
		return Patch{}
	}
	return abi.NewPatch(id)
}

// Schema makes a JSON Schema of Go values, as they stand in the source: it panics on values that are no schema.
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

// Views that a hook may declare of the messages.
var (
	ViewAll  = abi.ViewAll
	ViewLast = abi.ViewLast
	ViewNew  = abi.ViewNew
)
