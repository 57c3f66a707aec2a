package auth

import "net/http"

// Authenticator finds out who sends a request. Its method may be called by several goroutines at once.
type Authenticator interface {
	// Authenticate returns the principal of a request. The error wraps [ErrNoCredential] if the request has no credential of a kind that
	// this authenticator checks, [ErrBadCredential] if it has a wrong one, and [ErrUnavailable] if nobody can say at the moment.
	Authenticate(r *http.Request) (Principal, error)
}
