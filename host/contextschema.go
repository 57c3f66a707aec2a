package host

import (
	"fmt"
	"strings"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/schema"
	"github.com/agenthost/agenthost/internal/text"
)

// ContextError means that the value of [Input.Context] does not fit [Config.ContextSchema]. The run has not begun, and its thread is as
// it was.
type ContextError struct {
	Pointer string // a JSON pointer (RFC 6901) to the innermost part that does not fit; "": the whole value
	Problem string // what is wrong with that part
}

func (e *ContextError) Error() string {
	if e.Pointer == "" {
		return "the run's context does not fit the agent's context_schema: " + e.Problem
	}
	return "the run's context does not fit the agent's context_schema: " + e.Pointer + ": " + e.Problem
}

// ErrorType names the error in events.
func (*ContextError) ErrorType() string { return "context_error" }

// contextSchema checks the contexts of runs.
type contextSchema struct{ of *schema.Schema }

func newContextSchema(raw wire.Raw) (*contextSchema, error) {
	if raw.IsZero() {
		return nil, nil //nolint:nilnil // every context fits
	}
	compiled, err := schema.Compile(raw)
	if err == nil {
		err = compiled.CheckTypes()
	}
	if err == nil {
		err = compiled.CheckDefaults()
	}
	if err != nil {
		return nil, &ConfigError{ConfigSubject{Kind: SubjectContextSchema}, err}
	}
	return &contextSchema{compiled}, nil
}

// check returns the context of a run if it fits. A missing one is an empty object. Defaults of the schema are filled into a missing one and
// into a map[string]any; another Go value stays as it is.
func (c *contextSchema) check(given any) (any, error) {
	if c == nil {
		return given, nil
	}
	if given == nil {
		given = map[string]any{}
	}
	raw, err := Encode(given)
	if err != nil {
		return nil, &ContextError{Problem: err.Error()}
	}
	_, generic := given.(map[string]any)
	if generic {
		var fields wire.Map
		if _, err := fields.UnmarshalMsg(raw); err != nil {
			return nil, &ContextError{Problem: err.Error()}
		}
		if raw, err = Encode(c.of.WithDefaults(fields)); err != nil {
			return nil, &ContextError{Problem: err.Error()}
		}
	}
	if wrong := c.of.Misfit(raw); wrong != nil {
		return nil, misfitting(wrong)
	}
	if !generic {
		return given, nil
	}
	value, err := raw.Value()
	if err != nil {
		return nil, &ContextError{Problem: err.Error()}
	}
	return value, nil
}

// misfitting describes a part of a context that does not fit.
func misfitting(wrong *schema.Misfit) *ContextError {
	problem := text.Clean(wrong.Problem)
	if wrong.Unknown {
		problem = "the schema has no such property"
		name := wrong.Pointer[strings.LastIndex(wrong.Pointer, "/")+1:]
		if near, ok := text.Nearest(name, wrong.Known); ok {
			problem += fmt.Sprintf("; did you mean %q?", near)
		} else if len(wrong.Known) > 0 {
			problem += "; it has " + strings.Join(wrong.Known, ", ")
		}
	}
	return &ContextError{Pointer: text.Clean(wrong.Pointer), Problem: problem}
}
