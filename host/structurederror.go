package host

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// StructuredError is an answer that is no usable value of the agent's ResponseFormat.
type StructuredError struct {
	Kind    StructuredErrorKind
	Formats []string // the names of those that the model has used; none: it has not used any
	Err     error    // what is wrong with the value, or what the model has said in its place; nil if there is nothing to say
}

// StructuredErrorKind says why an answer is no usable value. It is the error's type in documents, too.
type StructuredErrorKind string

// The kinds.
const (
	// StructuredInvalid is a value that is no JSON, or does not fit its schema.
	StructuredInvalid StructuredErrorKind = "structured_output_validation"
	// StructuredMultiple is a message with more than one value.
	StructuredMultiple StructuredErrorKind = "multiple_structured_outputs"
	// StructuredMissing is a model that has no tools but those of its formats, and used none of them again and again.
	StructuredMissing StructuredErrorKind = "structured_output_missing"
)

// Error says what is wrong, in LangChain's words.
func (e *StructuredError) Error() string {
	switch e.Kind {
	case StructuredMultiple:
		return fmt.Sprintf("Model incorrectly returned multiple structured responses (%s) when only one is expected.",
			strings.Join(e.Formats, ", "))
	case StructuredMissing:
		if e.Err != nil {
			return fmt.Sprintf("the model has given no structured response: %v", e.Err)
		}
		return "the model has given no structured response"
	default:
		return fmt.Sprintf("Failed to parse structured output for tool '%s': %v.", strings.Join(e.Formats, ", "), e.Err)
	}
}

// Unwrap returns what is wrong with the value.
func (e *StructuredError) Unwrap() error { return e.Err }

// ErrorType names the type of the error in documents.
func (e *StructuredError) ErrorType() string { return string(e.Kind) }

// AnswerErrors answers every unusable value with this text, for [model.ResponseFormat.OnError].
func AnswerErrors(text string) func(error) (string, bool) {
	return func(error) (string, bool) { return text, true }
}

// AnswerErrorKinds answers unusable values of these kinds as is done by default; others fail the run. Without kinds all do.
func AnswerErrorKinds(kinds ...StructuredErrorKind) func(error) (string, bool) {
	return func(err error) (string, bool) {
		wrong, ok := errors.AsType[*StructuredError](err)
		if !ok || !slices.Contains(kinds, wrong.Kind) {
			return "", false
		}
		return askAgain(err)
	}
}

// askAgain asks the model to try again.
func askAgain(err error) (string, bool) {
	return fmt.Sprintf("Error: %v\n Please fix your mistakes.", err), true
}
