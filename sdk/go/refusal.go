package sdk

import "github.com/agenthost/agenthost/abi"

// The errors of an operation, or of Next, that the host refuses. The SDK never wraps them. If a hook returns one, the type of
// its error is the name of the status.
var (
	ErrInvalid      = refusal(abi.EINVAL, "the call makes no sense here")
	ErrNotFound     = refusal(abi.ENOENT, "there is no such operation, model, tool or key")
	ErrTooBig       = refusal(abi.ETOOBIG, "the reply is larger than the limit; what was called has run")
	ErrDenied       = refusal(abi.EDENIED, "it is not granted, or not declared")
	ErrNotSupported = refusal(abi.ENOTSUP, "it is not available in this hook or host")
	ErrBusy         = refusal(abi.EBUSY, "nothing is free to run it")
	ErrLimit        = refusal(abi.ELIMIT, "a limit or quota is used up")
	ErrConflict     = refusal(abi.ECONFLICT, "the entry has another version: read it again")
)

// ErrTooDeep is the error of a result, an operation or a change whose document would nest more than 64 arrays and maps. Values that
// come from models and callers nest at most 48, so a plugin can put them into its documents.
var ErrTooDeep error = &Error{Type: "too_deep", Message: "the document nests more than 64 arrays and maps; flatten the value or leave it out"}

func refusal(status abi.Status, text string) error {
	return &Error{Type: status.String(), Message: text}
}

// refused returns the error for a status without a reply.
func refused(status abi.Status) error {
	switch status {
	case abi.EINVAL:
		return ErrInvalid
	case abi.ENOENT:
		return ErrNotFound
	case abi.ETOOBIG:
		return ErrTooBig
	case abi.EDENIED:
		return ErrDenied
	case abi.ENOTSUP:
		return ErrNotSupported
	case abi.EBUSY:
		return ErrBusy
	case abi.ELIMIT:
		return ErrLimit
	case abi.ECONFLICT:
		return ErrConflict
	default: // a status of a later version
		return refusal(status, "the host refuses it")
	}
}
