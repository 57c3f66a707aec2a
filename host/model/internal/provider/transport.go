package provider

import (
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/agenthost/agenthost/host/model"
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

// Client returns a copy of an HTTP client (nil means the default one) that limits the size of responses and returns error
// responses as a [*model.Error]. All failures are thus classified in one place, including those that do not come from the
// provider, such as an error page of a proxy.
func Client(name string, base *http.Client) *http.Client {
	out := http.Client{}
	if base != nil {
		out = *base
	}
	out.Transport = &transport{provider: name, base: out.Transport}
	return &out
}

type transport struct {
	provider string
	base     http.RoundTripper
}

// RoundTrip sends a request.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	base := t.base
	if base == nil {
		base = http.DefaultTransport
	}
	resp, err := base.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode >= http.StatusBadRequest {
		body, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
		if closing := resp.Body.Close(); err == nil {
			err = closing
		}
		return nil, errors.Join(refusal(t.provider, resp, body), err)
	}
	resp.Body = &limitedBody{resp.Body, MaxResponse}
	return resp, nil
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
func refusal(name string, resp *http.Response, body []byte) *model.Error {
	report := readFailure(body)
	kind := kindOf(resp.StatusCode, report)
	out := &model.Error{
		Provider: name, Kind: kind, Status: resp.StatusCode, Retryable: kind.Passing(), Err: errors.New(report.message),
		RetryAfter: retryAfter(resp.Header, report),
	}
	switch resp.Header.Get("X-Should-Retry") { // OpenAI and Anthropic say explicitly whether a retry makes sense
	case "true":
		out.Retryable = true
	case "false":
		out.Retryable = false
	}
	if report.message == "" {
		out.Err = errors.New(http.StatusText(resp.StatusCode))
	}
	return out
}
