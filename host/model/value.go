package model

import (
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// AskingFor returns a copy that asks for a value. A model that enforces JSON Schemas is asked for an answer in the format; any other
// model must call a tool with the format's name. Model must be set. [Response.Value] reads the answer.
func (r *Request) AskingFor(format *Format) *Request {
	if r.Model.Info().StructuredOutput {
		return r.WithFormat(format)
	}
	tool := abi.ToolSpec{Name: format.Name, Description: format.Description, Parameters: format.Schema}
	return r.WithTools([]abi.ToolSpec{tool}).WithToolChoice(format.Name)
}

// Value returns what a model answered to [Request.AskingFor] with a format of this name: a structured answer, the arguments of its
// call, or a JSON object in its text; otherwise the text, or nil if there is none. It does not check the schema.
func (r *Response) Value(name string) wire.Raw {
	if !r.Structured.IsNil() {
		return r.Structured
	}
	ai := r.AI()
	for i := range ai.ToolCalls {
		if ai.ToolCalls[i].Name == name {
			return ai.ToolCalls[i].Args
		}
	}
	text := ai.Content.Text()
	if value, ok := objectIn(text); ok {
		return value
	}
	if text == "" {
		return r.Structured
	}
	return wire.String(text)
}

// objectIn returns the JSON object in a text. It may be in a code fence or between words.
func objectIn(text string) (wire.Raw, bool) {
	from, to := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')
	if from < 0 || to < from {
		return nil, false
	}
	value, err := wire.FromJSON([]byte(text[from:to+1]), wire.Limits{})
	return value, err == nil && value.IsMap()
}
