package model

// Strategy says how a model is brought to answer with a value.
type Strategy string

// The strategies.
const (
	StrategyAuto     Strategy = "auto"     // StrategyProvider where the model has that, else StrategyTool; "" is the same
	StrategyTool     Strategy = "tool"     // the value is the arguments of a tool call, which every model can make
	StrategyProvider Strategy = "provider" // the provider makes the answer's text fit the schema
)

// ResponseFormat asks for an answer that is a value: JSON that fits a schema.
//
// With StrategyTool each format is offered to the model as a tool, and one of its tools must be called. A call of one of
// the formats is the answer: it is answered with ToolMessage, and the run ends when the other calls of the message have
// run. One that does not fit, or more than one, is answered with the error, and the model tries again.
//
// With StrategyProvider the text of a message without tool calls is the answer. One that is no JSON or does not fit is an
// error: the provider has promised it.
type ResponseFormat struct {
	Strategy Strategy
	// Formats are what the value may be: one of them. The name of one is its own, or else the title of its schema. A
	// schema that is a oneOf stands for its alternatives. StrategyProvider takes one format, and StrategyAuto means
	// StrategyTool if there are more.
	Formats []Format
	// ToolMessage answers the tool call that brings the value. "": the value.
	ToolMessage string
	// OnError answers a call that is no usable value, so that the model tries again; false fails the run with the error. nil:
	// the answer is the error's text and a request to mend it.
	OnError func(err error) (answer string, again bool)
}

// WithResponse returns a copy that asks for an answer of this format; nil: a text. In an agent a middleware may take
// formats away, but not bring others than the agent's.
func (r *Request) WithResponse(response *ResponseFormat) *Request {
	out := *r
	out.Response = response
	return &out
}
