package sdk

import (
	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// The documents of the ABI, under the names that plugins use.
type (
	Capability     = abi.Capability
	CallChange     = abi.CallChange
	Content        = abi.Content
	Description    = abi.Description
	Error          = abi.Error
	FieldSpec      = abi.FieldSpec
	HookSpec       = abi.HookSpec
	HookSpecs      = abi.HookSpecs
	Map            = wire.Map
	Message        = abi.Message
	ModelResponse  = abi.ModelResponse
	Patch          = abi.Patch
	Raw            = wire.Raw
	RequestChange  = abi.RequestChange
	ResponseChange = abi.ResponseChange
	ToolSpec       = abi.ToolSpec
	Update         = abi.Update
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
