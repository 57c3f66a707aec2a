package builtin

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"

	"github.com/agenthost/agenthost/host"
)

// OnFailure says what happens when all attempts have failed. In a manifest it is continue, error, or {format: "no luck:
// {message}"}.
type OnFailure struct {
	// Behavior is "continue" (or ""): a text takes the place of the result, and the run goes on; or "error": the run fails
	// with the last error, unless outer middleware handles it.
	Behavior string `yaml:"behavior"`
	// Format replaces LangChain's text. It may contain {type} and {message} of the last error, {attempts}, such as
	// "3 attempts", and, if a tool has failed, {tool}.
	Format string `yaml:"format"`
	// Func returns the text. It replaces Format.
	Func func(err error) string `yaml:"-"`
}

// The behaviors.
const (
	onFailureContinue = "continue"
	onFailureError    = "error"
)

// UnmarshalYAML decodes continue, error or a mapping.
func (o *OnFailure) UnmarshalYAML(decode func(into any) error) error {
	var form any
	if err := decode(&form); err != nil {
		return err
	}
	switch form := form.(type) {
	case string:
		*o = OnFailure{Behavior: form}
		return nil
	case map[string]any:
		type fields OnFailure
		return decode((*fields)(o))
	default:
		return errors.New(`on_failure must be continue, error or {format: "{type}: {message}"}`)
	}
}

// JSONSchema describes the three forms.
func (OnFailure) JSONSchema() map[string]any {
	return map[string]any{
		"default": onFailureContinue,
		"oneOf": []any{
			map[string]any{"enum": []any{onFailureContinue, onFailureError}},
			map[string]any{
				"type": "object", "additionalProperties": false,
				"properties": map[string]any{
					"behavior": map[string]any{
						"enum": []any{onFailureContinue, onFailureError}, "description": "What follows: continue, with the text, or error.",
					},
					"format": map[string]any{"type": "string", "description": "The text, with its placeholders."},
				},
			},
		},
	}
}

// The placeholders of the texts, in the order of their values.
const (
	wordType     = "{type}"
	wordMessage  = "{message}"
	wordAttempts = "{attempts}"
	wordTool     = "{tool}"
)

// failureAnswer is a checked [OnFailure].
type failureAnswer struct {
	fails  bool
	format template
	fn     func(err error) string
}

// compile checks the configuration. The standard text is LangChain's.
func (o *OnFailure) compile(standard string, words ...string) (*failureAnswer, error) {
	switch o.Behavior {
	case "", onFailureContinue, onFailureError:
	default:
		return nil, fmt.Errorf(`on_failure is %q; use continue, error or {format: "{type}: {message}"}`, o.Behavior)
	}
	a := &failureAnswer{fails: o.Behavior == onFailureError, fn: o.Func}
	switch {
	case a.fails && (o.Format != "" || o.Func != nil):
		return nil, errors.New("on_failure is error and has a text, which would never be used; use one of them")
	case o.Format != "" && o.Func != nil:
		return nil, errors.New("on_failure has both Format and Func; use one of them")
	}
	var err error
	a.format, err = newTemplate("on_failure.format", cmp.Or(o.Format, standard), words...)
	return a, err
}

// text returns the text that takes the place of a result. Reason is the innermost error.
func (a *failureAnswer) text(err, reason error, attempts int, more ...string) string {
	if a.fn != nil {
		return a.fn(err)
	}
	times := "1 attempt"
	if attempts != 1 {
		times = strconv.Itoa(attempts) + " attempts"
	}
	values := append([]string{host.ErrorDocument(err).Type, host.ErrorDocument(reason).Message, times}, more...)
	return a.format.fill(values...)
}
