package registry

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/errcode"

	"github.com/agenthost/agenthost/internal/text"
)

// The kinds of an [Error], for [errors.Is].
var (
	ErrNotFound     = errors.New("it does not exist, or you may not read it")
	ErrUnauthorized = errors.New("the registry refuses access")
	ErrDigest       = errors.New("the content does not have the digest that names it")
	ErrTooLarge     = errors.New("it is too large")
	ErrLayout       = errors.New("it is laid out in a way that agenthost does not know")
	ErrInsecure     = errors.New("the connection would not be secure")
	ErrDirectory    = errors.New("the directory cannot be used")
)

// Error is why something was not pushed or pulled.
type Error struct {
	Subject string // the reference or the URL
	Kind    error  // one of the kinds, or nil
	Err     error  // the cause; nil if the kind and Advice say everything
	Advice  string // what to do; may be empty
}

func (e *Error) Error() string {
	var parts []string
	if e.Subject != "" {
		parts = append(parts, e.Subject)
	}
	if e.Kind != nil {
		parts = append(parts, e.Kind.Error())
	}
	if e.Err != nil {
		parts = append(parts, cleaned(e.Err.Error()))
	}
	out := strings.Join(parts, ": ")
	if e.Advice != "" {
		out += "; " + e.Advice
	}
	return out
}

// Unwrap returns the kind and the cause.
func (e *Error) Unwrap() []error {
	var all []error
	for _, err := range []error{e.Kind, e.Err} {
		if err != nil {
			all = append(all, err)
		}
	}
	return all
}

// maxQuoted is how much of a registry's words an error repeats, in bytes.
const maxQuoted = 400

// cleaned makes the words of a registry safe to print.
func cleaned(said string) string { return text.Cut(text.Clean(said), maxQuoted) }

// explain makes the error of a request about a subject. An [*Error], and nil, stay as they are.
func explain(subject, host string, err error) error {
	if err == nil {
		return nil
	}
	if own, ok := errors.AsType[*Error](err); ok {
		if own.Subject == "" {
			own.Subject = subject
		}
		return own
	}
	e := &Error{Subject: subject, Err: withoutURL(err)}
	answer, answered := errors.AsType[*errcode.ErrorResponse](err)
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
	case errors.Is(err, auth.ErrBasicCredentialNotFound),
		answered && (answer.StatusCode == http.StatusUnauthorized || answer.StatusCode == http.StatusForbidden):
		e.Kind, e.Advice = ErrUnauthorized, fmt.Sprintf("log in with 'docker login %s', or ask its operator for access", host)
	case strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"): // net/http has no type for it
		e.Kind, e.Err, e.Advice = ErrInsecure, errors.New("it has no HTTPS"), "if you trust the network, permit it with --plain-http"
	case errors.Is(err, errdef.ErrNotFound), answered && answer.StatusCode == http.StatusNotFound:
		e.Kind, e.Err, e.Advice = ErrNotFound, nil, fmt.Sprintf("check the name and the tag; if it is private, log in with 'docker login %s'", host)
	case errors.Is(err, content.ErrMismatchedDigest), errors.Is(err, content.ErrTrailingData), isHeaderMismatch(err):
		e.Kind, e.Advice = ErrDigest, "the registry is damaged or hostile; nothing was kept"
	case isUnreachable(err):
		e.Advice = "check the host and the port, and whether the server runs"
	}
	return e
}

// isHeaderMismatch reports whether a header of a response names another digest than was asked for. The library has no type for that error.
func isHeaderMismatch(err error) bool {
	return strings.Contains(err.Error(), "invalid response; digest mismatch in ")
}

// isUnreachable reports whether no connection was made.
func isUnreachable(err error) bool {
	failed, ok := errors.AsType[*net.OpError](err)
	return ok && failed.Op == "dial"
}

// withoutURL shortens the URL in an error to its host: a URL to which a registry has redirected may hold a secret.
func withoutURL(err error) error {
	failed, ok := errors.AsType[*url.Error](err)
	if !ok {
		return err
	}
	u, parsing := url.Parse(failed.URL)
	if parsing != nil {
		return failed.Err
	}
	return fmt.Errorf("%s: %w", u.Host, failed.Err)
}

// layoutError returns an error about the layout of what was pulled.
func layoutError(format string, args ...any) *Error {
	return &Error{Kind: ErrLayout, Err: fmt.Errorf(format, args...)}
}

// tooLarge returns an error about a size.
func tooLarge(what string, size, limit int64) *Error {
	return &Error{Kind: ErrTooLarge, Err: fmt.Errorf("%s has %d bytes, the limit is %d", what, size, limit)}
}
