package model

import (
	"fmt"
	"strings"
	"time"
)

// ErrorKind classifies the failure of a model call.
type ErrorKind string

// The kinds of errors. Where a provider uses one HTTP status for several kinds, its error codes decide.
const (
	ErrorAuthentication ErrorKind = "authentication"  // the API key is missing, or the provider rejects it
	ErrorPermission     ErrorKind = "permission"      // the key lacks the permission
	ErrorNotFound       ErrorKind = "not_found"       // the model or the address does not exist
	ErrorInvalidRequest ErrorKind = "invalid_request" // the provider rejects the request
	ErrorContextLength  ErrorKind = "context_length"  // the request is longer than the model's context
	ErrorContentFilter  ErrorKind = "content_filter"  // the provider refuses to answer on policy grounds
	ErrorRateLimit      ErrorKind = "rate_limit"      // too many requests or tokens at the moment
	ErrorQuota          ErrorKind = "quota"           // the account has no credit left
	ErrorOverloaded     ErrorKind = "overloaded"      // the provider is overloaded
	ErrorServer         ErrorKind = "server"          // the provider failed
	ErrorTimeout        ErrorKind = "timeout"         // the answer did not come in time
	ErrorConnection     ErrorKind = "connection"      // the provider cannot be reached, or the connection broke
	ErrorCertificate    ErrorKind = "certificate"     // the server's TLS certificate is not trusted
	ErrorResponse       ErrorKind = "response"        // the response is invalid, incomplete or too large
	ErrorCutOff         ErrorKind = "cut_off"         // the answer was cut off, and the model is configured to fail then
)

// Error is a failed call to a provider.
type Error struct {
	Provider   string
	Kind       ErrorKind
	Status     int           // the HTTP status; 0 if there was no response, or if it failed after a successful start
	Retryable  bool          // trying again may help
	RetryAfter time.Duration // how long the provider asks to wait; 0 if it does not say
	Err        error         // the cause, in the provider's own words where it gave any
}

// Error names the provider, the kind of failure, the HTTP status, the cause and how long to wait.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Provider)
	b.WriteString(": ")
	b.WriteString(strings.ReplaceAll(string(e.Kind), "_", " "))
	if e.Status != 0 {
		fmt.Fprintf(&b, " (HTTP %d)", e.Status)
	}
	if e.Err != nil {
		b.WriteString(": ")
		b.WriteString(e.Err.Error())
	}
	if e.RetryAfter > 0 {
		fmt.Fprintf(&b, "; it asks to wait %s", e.RetryAfter)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Passing reports whether errors of this kind are usually temporary, so that a retry may succeed.
func (k ErrorKind) Passing() bool {
	switch k {
	case ErrorRateLimit, ErrorOverloaded, ErrorServer, ErrorTimeout, ErrorConnection, ErrorResponse:
		return true
	default:
		return false
	}
}
