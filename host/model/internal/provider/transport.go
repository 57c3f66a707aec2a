package provider

import (
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/internal/mask"
)

// MaxResponse is the maximum length of a response, or of a whole stream, in bytes.
const MaxResponse = 64 << 20

// maxErrorBody is how much of an error response is read, in bytes.
const maxErrorBody = 64 << 10

// TooLargeError is a response that is longer than MaxResponse, or an event of a stream that is longer than 32 MiB.
type TooLargeError struct {
	What  string
	Limit int // in bytes
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s is longer than %d MiB", e.What, e.Limit>>20)
}

var errTooLarge = &TooLargeError{"the response", MaxResponse}

// transport limits responses, hides the credentials of requests in them, and turns error responses into errors.
type transport struct {
	provider     string
	base         http.RoundTripper
	secrets      *secrets
	unauthorized string // what to add to the error for a missing credential
	server       server // for the advice in errors

	events  func(http.Header, io.ReadCloser) io.ReadCloser        // see [Connection]; nil: the stream has the usual framing
	explain func(header http.Header, body []byte, f *model.Error) // see [Connection]; nil: there is nothing to add
}

// RoundTrip sends a request.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	base := t.base
	if base == nil {
		base = http.DefaultTransport
	}
	resp, err := base.RoundTrip(req)
	hidden := t.secrets.mask()
	if err != nil {
		err = hidden.Error(err) // it may quote the response
		if req.Context().Err() == nil {
			err = t.server.unreachable(base, req, err)
		}
		return nil, err
	}
	hideHeader(hidden, resp.Header)
	resp.Body = &limitedBody{resp.Body, MaxResponse}
	if t.events != nil && resp.StatusCode < http.StatusMultipleChoices {
		resp.Body = t.events(resp.Header, resp.Body)
	}
	resp.Body = hidden.Reader(resp.Body)
	if resp.StatusCode >= http.StatusBadRequest {
		body, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
		if closing := resp.Body.Close(); err == nil {
			err = closing
		}
		return nil, errors.Join(t.refusal(req, resp, body), err)
	}
	return resp, nil
}

// hideHeader hides the credentials in the header of a response.
func hideHeader(hidden *mask.Mask, header http.Header) {
	if hidden == nil {
		return
	}
	for _, values := range header {
		for i := range values {
			values[i] = hidden.Text(values[i])
		}
	}
}

// limitedBody is a response body that fails with an error when it is too long.
type limitedBody struct {
	io.ReadCloser

	left int64
}

func (l *limitedBody) Read(p []byte) (int, error) {
	if l.left < 0 {
		return 0, errTooLarge
	}
	if int64(len(p)) > l.left+1 {
		p = p[:l.left+1]
	}
	n, err := l.ReadCloser.Read(p)
	l.left -= int64(n)
	if l.left < 0 {
		return n, errTooLarge
	}
	return n, err
}

// refusal returns the error for an error response.
func (t *transport) refusal(req *http.Request, resp *http.Response, body []byte) *model.Error {
	report := readFailure(body)
	if report.message == "" {
		report.message = http.StatusText(resp.StatusCode)
	}
	kind, note := t.server.classify(resp.StatusCode, report, kindOf(resp.StatusCode, report))
	said := report.message
	if note != "" {
		said += "; " + note
	}
	refused := kind == model.ErrorAuthentication && resp.StatusCode != http.StatusProxyAuthRequired || resp.StatusCode == http.StatusForbidden ||
		t.server.mayWantKey(resp.StatusCode, report)
	switch {
	case t.unauthorized != "" && (refused || resp.StatusCode == http.StatusUnauthorized):
		said += "; " + t.unauthorized
	case t.explain == nil: // a platform has advice of its own
		if advice := t.server.advice(req, kind, resp.StatusCode, report); advice != "" {
			said += "; " + advice
		}
	}
	out := &model.Error{
		Provider: t.provider, Kind: kind, Status: resp.StatusCode, Retryable: kind.Passing(), Err: errors.New(said),
		RetryAfter: retryAfter(resp.Header, report),
	}
	switch resp.Header.Get("X-Should-Retry") { // OpenAI and Anthropic say explicitly whether a retry makes sense
	case "true":
		out.Retryable = true
	case "false":
		out.Retryable = false
	}
	if t.explain != nil {
		t.explain(resp.Header, body, out)
	}
	return out
}
