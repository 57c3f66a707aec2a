package sdk

import "github.com/agenthost/agenthost/abi"

// What an operation, or Next, returns that the host refuses. They are never wrapped by the SDK. As the error of a hook each has
// the status's name as its type.
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

func refusal(status abi.Status, text string) error {
	return &Error{Type: status.String(), Message: text}
}

// refused is the error of a status without a reply.
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
	default: // of a later version
		return refusal(status, "the host refuses it")
	}
}
