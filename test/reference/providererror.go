package reference

import (
	"errors"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
)

// providerKinds maps the types of scripted errors that are errors of a provider to their kinds.
var providerKinds = map[string]model.ErrorKind{
	"ModelRateLimitError":        model.ErrorRateLimit,
	"ModelAPIError":              model.ErrorServer,
	"ModelConnectionError":       model.ErrorConnection,
	"ModelTimeoutError":          model.ErrorTimeout,
	"ModelAuthenticationError":   model.ErrorAuthentication,
	"ModelPermissionDeniedError": model.ErrorPermission,
	"ModelInvalidRequestError":   model.ErrorInvalidRequest,
	"ModelNotFoundError":         model.ErrorNotFound,
	"ContextOverflowError":       model.ErrorContextLength,
}

// providerError is a scripted error that is also what a provider says.
type providerError struct {
	document *abi.Error
	said     *model.Error
}

func (e *providerError) Error() string { return e.document.Error() }

// Unwrap returns the scripted error and what the provider says.
func (e *providerError) Unwrap() []error { return []error{e.document, e.said} }

// ofProvider adds to a scripted error what a provider would say, if its type is that of a provider.
func ofProvider(err error) error {
	document, ok := errors.AsType[*abi.Error](err)
	if !ok {
		return err
	}
	kind, ok := providerKinds[document.Type]
	if !ok {
		return err
	}
	return &providerError{document, &model.Error{Provider: "scripted", Kind: kind, Retryable: kind.Passing(), Err: document}}
}
