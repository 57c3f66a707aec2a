package model

// Strategy is a way to make a model answer with a structured value.
type Strategy string

// The strategies.
const (
	StrategyAuto     Strategy = "auto"     // StrategyProvider if the model supports it, else StrategyTool; "" means the same
	StrategyTool     Strategy = "tool"     // the value is the arguments of a tool call; works with every model that calls tools
	StrategyProvider Strategy = "provider" // the provider makes the text of the answer match the schema
)

// ResponseFormat asks for a structured answer: JSON that matches a schema.
//
// With StrategyTool the model is offered each format as a tool, and must call one of its tools. A call to a format's tool is
// the answer: the call is answered with ToolMessage, and the run ends when the other calls of the message have run. If the
// arguments do not match the schema, or the message has more than one such call, they are answered with the error and
// the model tries again.
//
// With StrategyProvider the text of a message without tool calls is the answer. Text that is not JSON, or does not match the
// schema, is an error, because the provider guarantees the match.
type ResponseFormat struct {
	Strategy Strategy
	// Formats are the alternatives: the value matches one of them. A format without a name takes the title of its schema. A
	// schema that is a oneOf counts as its alternatives. StrategyProvider accepts only one format; with several, StrategyAuto
	// means StrategyTool.
	Formats []Format
	// ToolMessage is the answer to the tool call that carries the value; "" means the value itself.
	ToolMessage string
	// OnError returns the answer to a call whose value is unusable, and whether the model tries again; if not, the run fails
	// with the error. nil answers with the error's text and a request to fix it.
	OnError func(err error) (answer string, again bool)
}

// WithResponse returns a copy that asks for an answer in this format; nil asks for text. A middleware may remove formats of the
// agent, but may not add others.
func (r *Request) WithResponse(response *ResponseFormat) *Request {
	out := *r
	out.Response = response
	return &out
}
