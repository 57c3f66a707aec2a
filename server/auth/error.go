package auth

import (
	"errors"
	"net/http"
)

// The errors of authenticators. They are wrapped with a reason for the log, which a client is not told: compare with [errors.Is], and
// answer with [Answer].
var (
	ErrNoCredential  = errors.New("the request has no credential")
	ErrBadCredential = errors.New("the credential is not valid")
	ErrForbidden     = errors.New("the credential does not allow this")
	ErrUnavailable   = errors.New("credentials cannot be checked at the moment")
)

// Answer returns the status and the text with which a server answers an error of this package. The texts of 401 and 403 are those of
// LangGraph's server. Any other error is a 500 without a reason.
func Answer(err error) (status int, detail string) {
	switch {
	case errors.Is(err, ErrNoCredential), errors.Is(err, ErrBadCredential):
		return http.StatusUnauthorized, "Invalid token"
	case errors.Is(err, ErrForbidden):
		return http.StatusForbidden, "Forbidden"
	case errors.Is(err, ErrUnavailable):
		return http.StatusServiceUnavailable, "Credentials cannot be checked at the moment; try again later"
	default:
		return http.StatusInternalServerError, "Internal server error"
	}
}
