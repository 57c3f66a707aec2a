package reference

import (
	"errors"
	"slices"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model/scripted"
)

// The phases in which an agent fails.
const (
	phaseBuild = "build"
	phaseRun   = "run"
)

// The kinds of errors of the format.
const (
	kindScripted       = "scripted"
	kindToolCallLimit  = "tool_call_limit_exceeded"
	kindModelCallLimit = "model_call_limit_exceeded"
	kindPII            = "pii_detected"
	kindStructured     = "structured_output_validation"
	kindManyStructured = "multiple_structured_outputs"
	kindUpdate         = "invalid_update"
	kindRecursion      = "recursion_limit"
	kindExhausted      = "script_exhausted"
	kindJump           = "undeclared_jump"
	kindNotImplemented = "not_implemented"
	kindInvalid        = "invalid"
	kindKey            = "key_error" // a bug of the reference that we do not have
	kindValidation     = "validation"
	kindRefusal        = "model_refusal"
	kindModeration     = "moderation"
)

func kinds() []string {
	return []string{
		kindScripted, kindToolCallLimit, kindModelCallLimit, kindPII, kindStructured, kindManyStructured, kindUpdate, kindRecursion,
		kindExhausted, kindJump, kindNotImplemented, kindInvalid, kindKey, kindValidation, kindRefusal, kindModeration,
	}
}

// Failure is an error as the format describes it.
type Failure struct {
	Phase, Kind string
	Type        string // type of a scripted error
	Message     string
	err         error
}

// failureOf classifies an error.
func failureOf(phase string, err error) *Failure {
	f := &Failure{Phase: phase, Kind: kindInvalid, Message: err.Error(), err: err}
	if e, ok := errors.AsType[*abi.Error](err); ok {
		f.Kind, f.Type, f.Message = kindScripted, e.Type, e.Message
		return f
	}
	if e, ok := errors.AsType[*host.LimitError](err); ok {
		f.Kind, f.Message = limitKind(e), e.Message
		return f
	}
	if errors.Is(err, host.ErrTwoUpdates) {
		f.Kind = kindUpdate
		return f
	}
	if _, ok := errors.AsType[*host.JumpError](err); ok {
		f.Kind = kindJump
		return f
	}
	if errors.Is(err, scripted.ErrExhausted) {
		f.Kind = kindExhausted
		return f
	}
	var typed interface {
		error
		ErrorType() string // names the kind
	}
	if errors.As(err, &typed) && slices.Contains(kinds(), typed.ErrorType()) {
		f.Kind, f.Message = typed.ErrorType(), typed.Error()
	}
	return f
}

func limitKind(e *host.LimitError) string {
	switch e.Code {
	case host.CodeRecursionLimit:
		return kindRecursion
	case host.CodeModelCallLimit:
		return kindModelCallLimit
	case host.CodeToolCallLimit:
		return kindToolCallLimit
	default:
		return kindInvalid
	}
}

// comparesMessage reports whether the format compares the messages of errors of this kind.
func comparesMessage(kind string) bool {
	switch kind {
	case kindScripted, kindToolCallLimit, kindModelCallLimit, kindPII, kindManyStructured, kindRefusal, kindModeration:
		return true
	default:
		return false
	}
}
