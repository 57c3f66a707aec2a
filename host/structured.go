package host

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/internal/schema"
)

// structuredField holds the structured answer of the run's last model call.
var structuredField = NewField[wire.Raw]("structured_response", Hidden, Lives(LifetimeRun))

// Respond asks for an answer of type T, a struct or a map. The schema is derived as for the arguments of a tool.Func, and the name
// is that of the type. [Structured] reads the answer. Respond panics if T has no JSON Schema or a tag is wrong, which is a
// programming error.
func Respond[T any]() *model.ResponseFormat { return RespondOneOf(FormatOf[T]()) }

// RespondOneOf asks for an answer of one of these formats.
func RespondOneOf(formats ...model.Format) *model.ResponseFormat {
	return &model.ResponseFormat{Formats: formats}
}

// FormatOf returns the format of a Go type, see [Respond].
func FormatOf[T any]() model.Format {
	raw, err := schema.Of[T]()
	if err != nil {
		panic(fmt.Sprintf("host.Respond: %v", err))
	}
	name := fmt.Sprintf("%T", *new(T))
	if named := reflect.TypeFor[T]().Name(); named != "" { // for a generic type, without its type arguments
		name, _, _ = strings.Cut(named, "[")
	}
	return model.Format{Name: formatName(name[strings.LastIndexByte(name, '.')+1:]), Schema: raw}
}

// Structured decodes the structured answer of a run into a T. JSON tags apply, and so do the defaults in the schema of T.
func Structured[T any](r *Result) (T, error) {
	var value T
	if r.Structured.IsZero() {
		return value, &StructuredError{Kind: StructuredMissing}
	}
	compiled, err := schema.Compile(FormatOf[T]().Schema)
	if err != nil {
		return value, err
	}
	if err := compiled.Decode(r.Structured, &value); err != nil {
		return value, fmt.Errorf("the structured answer is not a %T: %w", value, err)
	}
	return value, nil
}

// ResponseFormats returns the formats of the agent's structured answers, see [Config.ResponseFormat]; none if it answers with texts.
func (a *Agent) ResponseFormats() []model.Format {
	a.mu.Lock()
	defer a.mu.Unlock()
	if asked := a.present.respond.asks(); asked != nil {
		return slices.Clone(asked.Formats)
	}
	return nil
}
