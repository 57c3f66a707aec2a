package model

import (
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/history"
)

// Request is what a model is asked. A request is a value that is shared: change it with the With… methods, which
// return a changed copy and leave the original as it is.
type Request struct {
	Messages   history.List // without the system prompt
	Model      Model        // the model to ask
	Settings   wire.Map     // settings for the provider, by its own names
	System     abi.Content  // the system prompt; zero: none
	ToolChoice string       // "": the provider's default; "auto", "none", "any" or the name of a tool
	Tools      []abi.ToolSpec
	Format     *Format // that of the answer; nil: a text
	// Response is what an agent asks for, before it is known which model answers: tools, or a Format, are made of it when
	// the last middleware has seen the request. Models do not look at it.
	Response *ResponseFormat
}

// Format asks for an answer in JSON. Only models whose Info says StructuredOutput enforce it.
type Format struct {
	Name        string // letters, digits, "_" and "-", at most 64
	Description string
	Schema      wire.Raw // a JSON Schema of type object
	Strict      bool     // the answer must fit exactly; providers then refuse some schemas
}

// WithMessages returns a copy with other messages.
func (r *Request) WithMessages(messages history.List) *Request {
	out := *r
	out.Messages = messages
	return &out
}

// WithModel returns a copy for another model.
func (r *Request) WithModel(m Model) *Request {
	out := *r
	out.Model = m
	return &out
}

// WithSystem returns a copy with another system prompt.
func (r *Request) WithSystem(system abi.Content) *Request {
	out := *r
	out.System = system
	return &out
}

// WithToolChoice returns a copy with another tool choice.
func (r *Request) WithToolChoice(choice string) *Request {
	out := *r
	out.ToolChoice = choice
	return &out
}

// WithSettings returns a copy into whose settings these are merged.
func (r *Request) WithSettings(settings wire.Map) *Request {
	out := *r
	out.Settings = r.Settings.With(settings)
	return &out
}

// WithTools returns a copy that offers these tools.
func (r *Request) WithTools(tools []abi.ToolSpec) *Request {
	out := *r
	out.Tools = tools
	return &out
}

// WithFormat returns a copy that asks for an answer of this format; nil: a text.
func (r *Request) WithFormat(format *Format) *Request {
	out := *r
	out.Format = format
	return &out
}

// KeepTools returns a copy that offers only the tools of these names, in the request's order.
func (r *Request) KeepTools(names []string) *Request {
	kept := make([]abi.ToolSpec, 0, len(names))
	for _, tool := range r.Tools {
		if slices.Contains(names, tool.Name) {
			kept = append(kept, tool)
		}
	}
	return r.WithTools(kept)
}

// AddTools returns a copy that offers more tools.
func (r *Request) AddTools(tools []abi.ToolSpec) *Request {
	return r.WithTools(slices.Concat(r.Tools, tools))
}
