package host

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
)

// StructuredError means that an answer is not a usable value of the agent's ResponseFormat.
type StructuredError struct {
	Kind    StructuredErrorKind
	Formats []string     // the names of the formats that the model used; empty: none
	Err     error        // the problem with the value, or the words of the model in place of a value; may be nil
	Answer  *abi.Message // the answer that has no usable value, if the provider should have enforced the format; nil otherwise
}

// StructuredErrorKind says why an answer is not a usable value. Documents use it as the type of the error.
type StructuredErrorKind string

// The kinds.
const (
	// StructuredInvalid: the value is not JSON, or does not fit its schema.
	StructuredInvalid StructuredErrorKind = "structured_output_validation"
	// StructuredMultiple: the message has more than one value.
	StructuredMultiple StructuredErrorKind = "multiple_structured_outputs"
	// StructuredMissing: the model, which has no other tools than its formats, repeatedly used none of them.
	StructuredMissing StructuredErrorKind = "structured_output_missing"
)

// Error describes the error in LangChain's words.
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

// Unwrap returns Err.
func (e *StructuredError) Unwrap() error { return e.Err }

// ErrorType names the type of the error in documents.
func (e *StructuredError) ErrorType() string { return string(e.Kind) }

// AnswerErrors returns a function for [model.ResponseFormat.OnError] that answers every unusable value with this text.
func AnswerErrors(text string) func(error) (string, bool) {
	return func(error) (string, bool) { return text, true }
}

// AnswerErrorKinds returns a function for [model.ResponseFormat.OnError] that answers unusable values of these kinds with
// the default text; values of other kinds fail the run. Without kinds, every unusable value fails the run.
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
