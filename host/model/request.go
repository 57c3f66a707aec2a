package model

import (
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/history"
)

// Request is a request to a model. Requests are shared, so do not modify one: the With… methods return a changed copy.
type Request struct {
	Messages   history.List // without the system prompt
	Model      Model        // the model to ask
	Settings   wire.Map     // settings for the provider, under the provider's own names
	System     abi.Content  // the system prompt; zero if there is none
	ToolChoice string       // "auto", "none", "any" or the name of a tool; "" means the provider's default
	Tools      []abi.ToolSpec
	// ProviderTools are tools that the provider runs itself, besides those of the model's configuration. Models of providers that
	// run no tools ignore them.
	ProviderTools []ProviderTool
	Format        *Format // the format of the answer; nil means text
	// TopLogprobs limits the answer to its first token, and asks for the log probabilities of that many of the most likely tokens.
	// Providers allow up to 20, some fewer. 0 asks for a whole answer. Models without [Info].Logprobs ignore it.
	TopLogprobs int
	// Response is the agent's response format, independent of the model. After the last middleware has seen the request, the
	// agent turns it into tools or a Format. Models ignore it.
	Response *ResponseFormat
}

// Format asks for an answer in JSON. Only models with [Info].StructuredOutput enforce it.
type Format struct {
	Name        string // at most 64 letters, digits, "_" and "-"
	Description string
	Schema      wire.Raw // a JSON Schema of type object
	Strict      bool     // the answer must match exactly; providers then reject some schemas

	// Check checks what a schema cannot say, after the value has matched it; nil: nothing more. The model reads the error.
	Check func(value wire.Raw) error
}

// WithMessages returns a copy with these messages.
func (r *Request) WithMessages(messages history.List) *Request {
	out := *r
	out.Messages = messages
	return &out
}

// WithModel returns a copy for this model.
func (r *Request) WithModel(m Model) *Request {
	out := *r
	out.Model = m
	return &out
}

// WithSystem returns a copy with this system prompt.
func (r *Request) WithSystem(system abi.Content) *Request {
	out := *r
	out.System = system
	return &out
}

// WithToolChoice returns a copy with this tool choice.
func (r *Request) WithToolChoice(choice string) *Request {
	out := *r
	out.ToolChoice = choice
	return &out
}

// WithSettings returns a copy with these settings merged into its own.
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

// WithFormat returns a copy that asks for an answer in this format; nil asks for text.
func (r *Request) WithFormat(format *Format) *Request {
	out := *r
	out.Format = format
	return &out
}

// KeepTools returns a copy that offers only the tools with these names, in the request's order.
func (r *Request) KeepTools(names []string) *Request {
	kept := make([]abi.ToolSpec, 0, len(names))
	for _, tool := range r.Tools {
		if slices.Contains(names, tool.Name) {
			kept = append(kept, tool)
		}
	}
	return r.WithTools(kept)
}

// AddProviderTools returns a copy in which the provider may also run these tools.
func (r *Request) AddProviderTools(tools ...ProviderTool) *Request {
	out := *r
	out.ProviderTools = slices.Concat(r.ProviderTools, tools)
	return &out
}

// AddTools returns a copy that also offers these tools.
func (r *Request) AddTools(tools []abi.ToolSpec) *Request {
	return r.WithTools(slices.Concat(r.Tools, tools))
}
