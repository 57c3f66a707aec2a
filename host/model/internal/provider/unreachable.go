package provider

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
)

// connectionError says in plain words why a server cannot be reached, and what to do.
type connectionError struct {
	problem string
	lasting bool  // a retry would meet the same problem
	err     error // of package net, net/http or crypto/tls
}

func (e *connectionError) Error() string { return short(e.problem) }

// Unwrap returns the cause.
func (e *connectionError) Unwrap() error { return e.err }

// unreachable explains the error of a request that got no response. It leaves errors alone that are not a problem of the connection, and
// those of certificates, which [untrusted] explains.
func (s *server) unreachable(base http.RoundTripper, req *http.Request, err error) error {
	if untrusted("", err) != nil {
		return err
	}
	proxy := proxyOf(base, req)
	if said := refusedByProxy(proxy, req.URL, err); said != nil {
		return said
	}
	subject, out := hostPort(req.URL), s.wayOut
	if operation, ok := errors.AsType[*net.OpError](err); ok && proxy != nil && (operation.Op == "proxyconnect" || proxy.Scheme != req.URL.Scheme) {
		subject = "the proxy " + hostPort(proxy)
		out = func(cause) string { return proxyAdvice }
	}
	problem, why := reason(subject, err)
	if problem == "" {
		return err
	}
	return &connectionError{problem: problem + "; " + out(why), lasting: why == causeNoTLS, err: err}
}

const proxyAdvice = "correct the key proxy of the model or the variable HTTPS_PROXY or HTTP_PROXY, or name this server in NO_PROXY"

// proxyOf returns the proxy of a request; nil if it has none.
func proxyOf(base http.RoundTripper, req *http.Request) *url.URL {
	t, ok := base.(*http.Transport)
	if !ok || t.Proxy == nil {
		return nil
	}
	proxy, _ := t.Proxy(req) // the transport reports an invalid one itself
	return proxy
}

// refusedByProxy explains the answer of a proxy that does not connect to a server. Package net/http only returns the text of its status.
func refusedByProxy(proxy, to *url.URL, err error) error {
	said := err.Error()
	if proxy == nil || to.Scheme != "https" || said == http.StatusText(http.StatusProxyAuthRequired) {
		return nil
	}
	for status := http.StatusBadRequest; status < 600; status++ {
		if text := http.StatusText(status); text != "" && text == said {
			return &connectionError{
				problem: fmt.Sprintf("the proxy %s does not connect to %s, and answers %d %s; %s", hostPort(proxy), hostPort(to), status, text, proxyAdvice),
				lasting: status < http.StatusInternalServerError, err: err,
			}
		}
	}
	return nil
}

// cause is what the way out of a connection error depends on.
type cause int

const (
	causeNetwork cause = iota // between this machine and the server
	causeAddress              // the name of the server is wrong
	causeServer               // the server does not run, or not there
	causeNoTLS                // the server has no TLS
	causeTLS                  // the server refuses TLS as we speak it
)

// reason says what is wrong with a connection, and returns "" if the error is another one.
func reason(subject string, err error) (string, cause) {
	var lookup *net.DNSError
	var record tls.RecordHeaderError
	var alert *net.OpError
	var network net.Error
	switch {
	case errors.As(err, &lookup) && lookup.IsNotFound:
		return fmt.Sprintf("cannot find %s: no such host", subject), causeAddress
	case errors.As(err, &lookup):
		return fmt.Sprintf("cannot find %s: the name server does not answer", subject), causeNetwork
	case is(err, syscall.ECONNREFUSED, "actively refused", "connection refused"):
		return fmt.Sprintf("no server listens at %s (connection refused)", subject), causeServer
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		return subject + " does not speak TLS", causeNoTLS
	case errors.As(err, &alert) && alert.Op == "remote error":
		return fmt.Sprintf("%s refuses the TLS connection (%s)", subject, strings.TrimPrefix(alert.Err.Error(), "tls: ")), causeTLS
	case errors.As(err, &network) && network.Timeout():
		return subject + " does not answer (the connection timed out)", causeNetwork
	case is(err, syscall.EHOSTUNREACH, "no route to host", "unreachable host"), is(err, syscall.ENETUNREACH, "unreachable network", "network is unreachable"):
		return subject + " cannot be reached from this network", causeNetwork
	case is(err, syscall.ECONNRESET, "forcibly closed"), is(err, syscall.EPIPE), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		strings.Contains(err.Error(), "server closed idle connection"): // package net/http has no value for it
		return subject + " closed the connection without an answer", causeServer
	case errors.As(err, &alert):
		return fmt.Sprintf("%s cannot be reached: %v", subject, alert.Err), causeNetwork
	default:
		return "", causeNetwork
	}
}

// is reports whether an error is one of the system. Its texts are for Windows, whose numbers are others.
func is(err error, number syscall.Errno, texts ...string) bool {
	if errors.Is(err, number) {
		return true
	}
	said := err.Error()
	for _, text := range texts {
		if strings.Contains(said, text) {
			return true
		}
	}
	return false
}

// hostPort returns the host of an address with its port, and without a password.
func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"https": "443", "socks5": "1080", "socks5h": "1080"}[u.Scheme]
	}
	if port == "" {
		port = "80"
	}
	return net.JoinHostPort(u.Hostname(), port)
}
