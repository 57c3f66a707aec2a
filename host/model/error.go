package model

import (
	"fmt"
	"strings"
	"time"
)

// ErrorKind says what went wrong with a provider.
type ErrorKind string

// The kinds of errors. Providers that report others under one status are told apart by their error codes.
const (
	ErrorAuthentication ErrorKind = "authentication"  // there is no key, or the provider does not take it
	ErrorPermission     ErrorKind = "permission"      // the key may not do that
	ErrorNotFound       ErrorKind = "not_found"       // there is no such model, or no such address
	ErrorInvalidRequest ErrorKind = "invalid_request" // the provider refuses the request
	ErrorContextLength  ErrorKind = "context_length"  // the request is longer than the model's context
	ErrorContentFilter  ErrorKind = "content_filter"  // the provider refuses to answer
	ErrorRateLimit      ErrorKind = "rate_limit"      // too many requests or tokens for now
	ErrorQuota          ErrorKind = "quota"           // the account has no credit left
	ErrorOverloaded     ErrorKind = "overloaded"      // the provider has too much to do
	ErrorServer         ErrorKind = "server"          // the provider failed
	ErrorTimeout        ErrorKind = "timeout"         // no answer in time
	ErrorConnection     ErrorKind = "connection"      // the provider cannot be reached, or the connection broke
	ErrorResponse       ErrorKind = "response"        // the answer cannot be understood, is not whole or too large
)

// Error is a call of a provider that failed.
type Error struct {
	Provider   string
	Kind       ErrorKind
	Status     int           // of HTTP; 0: there was no answer, or it began well
	Retryable  bool          // trying again may help
	RetryAfter time.Duration // how long the provider asks to wait; 0: it does not say
	Err        error         // in the provider's words
}

// Error says which provider failed, with which status, and what may help.
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

// Passing reports whether errors of the kind tend to pass, so that trying again may help.
func (k ErrorKind) Passing() bool {
	switch k {
	case ErrorRateLimit, ErrorOverloaded, ErrorServer, ErrorTimeout, ErrorConnection, ErrorResponse:
		return true
	default:
		return false
	}
}
