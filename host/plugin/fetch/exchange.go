package fetch

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"slices"
	"sync/atomic"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/tracecontext"
)

// Do performs a request of the guest and follows its redirects. The error is an [*Error], or the context's own if the
// context ended. Do not change the request afterwards: a connection may still be sending its body.
func (c *Client) Do(ctx context.Context, r *abi.FetchRequest) (*abi.FetchResponse, error) {
	if c.closed.Load() {
		return nil, &Error{Kind: KindNetwork, Text: "the client is closed"}
	}
	first, err := c.first(r)
	if err != nil {
		return nil, err
	}
	inTime, cancel := context.WithTimeout(ctx, c.timeout(r.TimeoutMS))
	defer cancel()
	x := &exchange{client: c}
	response, err := x.run(inTime, first)
	if c.closed.Load() {
		c.transport.CloseIdleConnections()
	}
	switch {
	case err == nil:
		return response, nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("%s: %w", abi.OpHTTPFetch, context.Cause(ctx))
	case inTime.Err() != nil:
		err = &Error{Kind: KindTimeout, Text: "there was no complete response in time"}
	}
	return nil, x.told(failure(err), first.method)
}

// timeout returns how long an exchange may take: the request's timeout, but no longer than the policy's.
func (c *Client) timeout(milliseconds uint64) time.Duration {
	if milliseconds == 0 || milliseconds > uint64(c.policy.Timeout/time.Millisecond) {
		return c.policy.Timeout
	}
	return time.Duration(milliseconds) * time.Millisecond
}

// first builds the first hop from the guest's request.
func (c *Client) first(r *abi.FetchRequest) (*hop, error) {
	h := &hop{method: r.Method, headers: r.Headers, body: r.Body}
	if h.method == "" {
		h.method = http.MethodGet
	}
	if err := checkHeaders(h.headers); err != nil {
		return nil, err
	}
	if len(h.body) > c.policy.MaxRequest {
		return nil, beyond("the body of the request has %d bytes; the limit is %d", len(h.body), c.policy.MaxRequest)
	}
	var err error
	h.target, err = parseTarget(r.URL, nil)
	return h, err
}

// exchange is one request of a guest with its redirects.
type exchange struct {
	client *Client
	sent   atomic.Bool // there was a connection to send to
}

func (x *exchange) run(ctx context.Context, h *hop) (*abi.FetchResponse, error) {
	for redirects := 0; ; redirects++ {
		response, err := x.send(ctx, h)
		if err != nil {
			return nil, err
		}
		to := location(response)
		if to == "" || x.client.policy.MaxRedirects < 0 {
			return x.read(h, response)
		}
		discard(response)
		if redirects == x.client.policy.MaxRedirects {
			return nil, beyond("there are more than %d redirects", redirects)
		}
		if h, err = h.redirected(response.StatusCode, to); err != nil {
			e := failure(err)
			e.Text = "redirected: " + e.Text
			return nil, e
		}
	}
}

// send sends one hop, if all of it is granted. The caller closes the response's body.
func (x *exchange) send(ctx context.Context, h *hop) (*http.Response, error) {
	c := x.client
	if !c.policy.allows(h.method) {
		return nil, denied("the method %s is not granted", quote(h.method))
	}
	if !grantedBy(c.hosts, h.target.origin) {
		return nil, denied("%s is not granted", h.target.origin)
	}
	header, err := c.header(h)
	if err != nil {
		return nil, err
	}
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { x.sent.Store(true) }})
	tracecontext.SetHeader(ctx, header)
	request := (&http.Request{Method: h.method, URL: h.target.url, Header: header}).WithContext(ctx)
	if len(h.body) > 0 {
		request.ContentLength = int64(len(h.body))
		request.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(h.body)), nil }
		request.Body, _ = request.GetBody()
	}
	response, err := c.transport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode == http.StatusSwitchingProtocols { // unrequested, and it has no end
		_ = response.Body.Close()
		return nil, &Error{Kind: KindNetwork, Text: "the host's answer does not follow HTTP"}
	}
	return response, nil
}

// read builds the document of a response, and closes the response.
func (x *exchange) read(h *hop, response *http.Response) (*abi.FetchResponse, error) {
	defer func() { _ = response.Body.Close() }()
	c := x.client
	tooLarge := func() error {
		return beyond("the body of the response is larger than %d bytes", c.policy.MaxResponse)
	}
	if h.method != http.MethodHead && response.ContentLength > int64(c.policy.MaxResponse) {
		return nil, tooLarge()
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, int64(c.policy.MaxResponse)+1))
	switch {
	case len(body) > c.policy.MaxResponse:
		return nil, tooLarge()
	case err != nil:
		return nil, err
	}
	return &abi.FetchResponse{
		Body: c.mask.Bytes(body), Headers: c.responseHeaders(response.Header), Status: uint64(response.StatusCode),
		URL: c.hide(h.target.url.String()),
	}, nil
}

// discard closes an unwanted response. It reads a short body, so that the connection can be reused.
func discard(response *http.Response) {
	_, _ = io.CopyN(io.Discard, response.Body, 4<<10)
	_ = response.Body.Close()
}

// told completes an error with whether something was sent, and so whether a retry is safe.
func (x *exchange) told(e *Error, method string) *Error {
	e.Sent = x.sent.Load()
	safe := slices.Contains([]string{http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodPut, http.MethodDelete}, method)
	e.Retryable = (e.Kind == KindTimeout || e.Kind == KindNetwork) && (safe || !e.Sent)
	return e
}
