package tool

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/internal/schema"
)

// Option changes the spec of a tool.
type Option func(*abi.ToolSpec)

// ReturnDirect lets the tool's result end the run.
func ReturnDirect() Option { return func(s *abi.ToolSpec) { s.ReturnDirect = true } }

// Idempotent declares that it is safe to run the tool again after a crash.
func Idempotent() Option { return func(s *abi.ToolSpec) { s.Idempotent = true } }

// Extras adds keys to the definition of the tool that the provider gets, by the provider's names, such as "defer_loading". A model
// leaves out those that its provider does not have.
func Extras(extras wire.Map) Option {
	return func(s *abi.ToolSpec) { s.Extras = s.Extras.With(extras) }
}

// Func returns a tool that calls a Go function. In is a struct. Its exported fields are the tool's parameters, and their
// types and tags determine the JSON Schema:
//
//	`json:"unit,omitempty"`     its name; without omitempty or omitzero, and without a default, it is required
//	`jsonschema:"unit of heat"` its description
//	`enum:"celsius,kelvin"`     the values that it, or each item of a list, may have
//
// `default:"celsius"` its value if none is given: a string as it is, anything else as JSON
//
//	`min:"1" max:"10"`          bounds of a number, of a string's characters or of a list's items
//
// The host checks arguments against that schema before the function runs, and tells the model about invalid ones.
// [host.RuntimeOf] returns the run: its state, and Emit, which reports progress. ctx ends with the run, and with the
// agent's timeout for tools.
//
// A string result is the tool's answer. An [abi.Content], a [*host.ToolOutput] and nil are used as they are, and any other
// result is answered as JSON. An error aborts the run unless a middleware handles it; a ToolOutput with Failed set is an
// answer. Func panics if In has no JSON Schema or a tag does not fit its field, because that is a mistake in the program.
func Func[In, Out any](name, description string, fn func(ctx context.Context, in In) (Out, error), options ...Option) host.Tool {
	parameters, err := parametersOf[In]()
	if err != nil {
		panic(fmt.Sprintf("tool.Func %q: %v", name, err))
	}
	compiled, err := schema.Compile(parameters)
	if err != nil {
		panic(fmt.Sprintf("tool.Func %q: %v", name, err))
	}
	t := &funcTool[In, Out]{
		fn: fn, parameters: schema.NewDecoder[In](compiled),
		spec: abi.ToolSpec{Name: name, Description: description, Parameters: parameters},
	}
	for _, option := range options {
		option(&t.spec)
	}
	return t
}

func parametersOf[In any]() (wire.Raw, error) {
	parameters, err := schema.Of[In]()
	if err != nil {
		return nil, fmt.Errorf("the arguments: %w", err)
	}
	return parameters, nil
}

type funcTool[In, Out any] struct {
	spec       abi.ToolSpec
	parameters *schema.Decoder[In]
	fn         func(ctx context.Context, in In) (Out, error)
}

func (t *funcTool[In, Out]) Spec() abi.ToolSpec { return t.spec }

// Call runs the function. Arguments that fit the schema but not the type, such as 1e30 for an int, are answered with an
// error.
func (t *funcTool[In, Out]) Call(ctx context.Context, rt *host.Runtime, call *abi.ToolCall) (*host.ToolOutput, error) {
	in, err := t.parameters.Decode(call.Args)
	if err != nil {
		out := host.TextOutput(fmt.Sprintf("Error invoking tool '%s' with kwargs %s with error:\n %s\n Please fix the error and try again.",
			call.Name, call.Args.JSON(), err))
		out.Failed = true
		return out, nil
	}
	out, err := t.fn(host.WithRuntime(ctx, rt), in)
	if err != nil {
		return nil, err
	}
	if text, ok := any(out).(string); ok {
		return host.TextOutput(text), nil // the usual case, without boxing
	}
	return Output(out)
}

// Output converts a Go value to the output of a tool, see [Func].
func Output(value any) (*host.ToolOutput, error) {
	switch v := value.(type) {
	case nil:
		return &host.ToolOutput{}, nil
	case string:
		return host.TextOutput(v), nil
	case abi.Content:
		return &host.ToolOutput{Content: v}, nil
	case *host.ToolOutput:
		return v, nil
	default:
		text, err := json.Marshal(v)
		if err != nil {
			return nil, fmt.Errorf("result: %w", err)
		}
		return host.TextOutput(string(text)), nil
	}
}
