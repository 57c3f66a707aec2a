package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/agenthost/agenthost/abi/wire"
)

const (
	maxRequest  = 16 << 20 // bytes of the body of a request
	maxResponse = 16 << 20 // bytes of the body of a response
	maxRefusal  = 64 << 10 // bytes that are read of a refusal
)

// limits bound the JSON of a response: the state of a thread can be large.
var limits = wire.Limits{MaxBytes: maxResponse, MaxNodes: 1 << 19}

// request is one request of the API.
type request struct {
	method string
	path   []string // the segments of the path
	query  url.Values
	body   *wire.Map // nil: none

	lastEvent string // the header Last-Event-ID of a stream
}

// do performs a request and returns the JSON of the response.
func (c *Client) do(ctx context.Context, r request) (wire.Raw, error) {
	address, body, err := c.prepare(&r)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithTimeout(ctx, c.timeout)
	defer stop()
	for attempt := 0; ; attempt++ {
		answer, delay, err := c.once(ctx, &r, address, body)
		if err == nil {
			return answer, nil
		}
		if !c.repeats(ctx, r.method, attempt, delay, err) {
			return nil, c.described(ctx, err)
		}
	}
}

// prepare returns the address and the body of a request.
func (c *Client) prepare(r *request) (address string, body []byte, err error) {
	if address, err = c.address(r); err != nil || r.body == nil {
		return address, nil, err
	}
	if body, err = wire.AppendJSON(nil, r.body.Raw()); err == nil && len(body) > maxRequest {
		err = fmt.Errorf("the request has %d bytes; the limit is %d", len(body), maxRequest)
	}
	return address, body, err
}

// described returns an error as callers see it.
func (c *Client) described(ctx context.Context, err error) error {
	if _, refused := errors.AsType[*Error](err); refused {
		return err
	}
	return c.unreached(ctx, err)
}

// address returns the address of a request. Ids that came from a server or from the state of a thread must not change the path.
func (c *Client) address(r *request) (string, error) {
	for _, segment := range r.path {
		if !isID(segment) {
			return "", fmt.Errorf("%q cannot be an id of the server: it must have 1 to %d letters, digits, - and _", c.line(segment), maxID)
		}
	}
	u := c.base.JoinPath(r.path...)
	u.RawQuery = r.query.Encode()
	return u.String(), nil
}

// maxID is the length of the longest id, in bytes.
const maxID = 128

func isID(id string) bool {
	return id != "" && len(id) <= maxID && !strings.ContainsFunc(id, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	})
}

// send sends a request once, and returns a response whose status says that it succeeded. The caller closes its body.
func (c *Client) send(ctx context.Context, r *request, address string, body []byte, accept string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, r.method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for name, value := range c.headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Accept", accept)
	if r.lastEvent != "" {
		req.Header.Set("Last-Event-ID", r.lastEvent)
	}
	client := c.reads
	if r.method != http.MethodGet {
		client = c.writes
		req.Header.Set("Content-Type", "application/json")
	}
	response, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	if response.StatusCode >= 200 && response.StatusCode <= 299 {
		return response, nil
	}
	defer func() { _ = response.Body.Close() }()
	said, _ := io.ReadAll(io.LimitReader(response.Body, maxRefusal)) // the status counts
	refused := c.refusal(response.StatusCode, said)
	refused.after = response.Header.Get("Retry-After")
	return nil, refused
}

// once sends a request once. delay is the value of the header Retry-After.
func (c *Client) once(ctx context.Context, r *request, address string, body []byte) (answer wire.Raw, delay string, err error) {
	response, err := c.send(ctx, r, address, body, "application/json")
	if err != nil {
		if refused, ok := errors.AsType[*Error](err); ok {
			delay = refused.after
		}
		return nil, delay, err
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(io.LimitReader(response.Body, maxResponse+1))
	switch {
	case err != nil:
		return nil, "", err
	case len(content) > maxResponse:
		return nil, "", &answerError{fmt.Sprintf("it is longer than %d bytes", maxResponse)}
	case len(bytes.TrimSpace(content)) == 0:
		return wire.Raw{0xc0}, "", nil // such as after 204
	}
	answer, err = wire.FromJSON(content, limits)
	if err != nil {
		return nil, "", &answerError{c.line(err.Error())}
	}
	return answer, "", nil
}
