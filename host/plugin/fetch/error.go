package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"syscall"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/internal/publicnet"
)

// Kind says why an exchange has no response.
type Kind string

// The kinds of errors.
const (
	KindDenied  Kind = "denied"  // the policy does not grant it
	KindLimit   Kind = "limit"   // a size or the number of redirects exceeds the policy's limit
	KindTimeout Kind = "timeout" // it took longer than the request or the policy allows
	KindNetwork Kind = "network" // the host cannot be reached, or does not speak HTTP
	KindInvalid Kind = "invalid" // the request is malformed
)

// Error says why an exchange has no response. Its text is for both the guest and the operator: it reveals nothing about a
// secret, what a server sent, or the network that the host runs in.
type Error struct {
	Kind      Kind
	Text      string
	Sent      bool // a server may have received a request
	Retryable bool // a retry may help, and does no harm by HTTP's rules
}

func (e *Error) Error() string { return abi.OpHTTPFetch + ": " + string(e.Kind) + ": " + e.Text }

// Status returns how a host answers the guest: with an errno if nothing was done, otherwise with [abi.StatusFailed] and
// [Error.Document].
func (e *Error) Status() abi.Status {
	switch {
	case e.Kind == KindDenied && !e.Sent:
		return abi.EDENIED
	case e.Kind == KindInvalid && !e.Sent:
		return abi.EINVAL
	default:
		return abi.StatusFailed
	}
}

// Document returns the error as the guest sees it.
func (e *Error) Document() *abi.Error {
	return &abi.Error{Type: "http_" + string(e.Kind), Message: e.Text, Retryable: e.Retryable}
}

func denied(format string, args ...any) *Error {
	return &Error{Kind: KindDenied, Text: fmt.Sprintf(format, args...)}
}

func invalid(format string, args ...any) *Error {
	return &Error{Kind: KindInvalid, Text: fmt.Sprintf(format, args...)}
}

func beyond(format string, args ...any) *Error {
	return &Error{Kind: KindLimit, Text: fmt.Sprintf(format, args...)}
}

// quote quotes a text of the guest.
func quote(text string) string {
	const most = 64
	if len(text) > most {
		return strconv.QuoteToASCII(text[:most]) + "…"
	}
	return strconv.QuoteToASCII(text)
}

// failure converts an error of net/http to an Error. It does not pass on the error's text, which may quote the server, or
// name addresses and resolvers.
func failure(err error) *Error {
	if own, ok := errors.AsType[*Error](err); ok {
		return new(*own)
	}
	if errors.Is(err, publicnet.ErrNotPublic) {
		return denied("the host has an address that is not public, and its network is not granted")
	}
	if strings.Contains(err.Error(), "response headers exceeded") { // net/http has no type for it
		return beyond("the headers of the response are larger than the limit")
	}
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() || errors.Is(err, context.DeadlineExceeded) {
		return &Error{Kind: KindTimeout, Text: "the host did not answer in time"}
	}
	return &Error{Kind: KindNetwork, Text: networkText(err)}
}

func networkText(err error) string {
	var dns *net.DNSError
	var certificate *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	var alert tls.AlertError
	var record tls.RecordHeaderError
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return "there is no such host"
	case errors.As(err, &dns):
		return "the host's name cannot be resolved"
	case errors.As(err, &authority):
		return "the host's certificate comes from an untrusted authority"
	case errors.As(err, &name):
		return "the host's certificate is for another name"
	case errors.As(err, &certificate):
		return "the host's certificate is not valid"
	case errors.As(err, &alert), errors.As(err, &record):
		return "the host does not speak TLS correctly"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "the host refused the connection"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, net.ErrClosed):
		return "the connection ended before the response did"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "the host cannot be reached"
	default:
		return "the host's answer does not follow HTTP"
	}
}
