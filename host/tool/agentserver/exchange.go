package agentserver

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
}

// do performs a request and returns the JSON of the response.
func (c *Client) do(ctx context.Context, r request) (wire.Raw, error) {
	address, err := c.address(&r)
	if err != nil {
		return nil, err
	}
	var body []byte
	if r.body != nil {
		if body, err = wire.AppendJSON(nil, r.body.Raw()); err != nil {
			return nil, err
		}
		if len(body) > maxRequest {
			return nil, fmt.Errorf("the request has %d bytes; the limit is %d", len(body), maxRequest)
		}
	}
	ctx, stop := context.WithTimeout(ctx, c.timeout)
	defer stop()
	for attempt := 0; ; attempt++ {
		answer, delay, err := c.once(ctx, r.method, address, body)
		if err == nil {
			return answer, nil
		}
		if !c.repeats(ctx, r.method, attempt, delay, err) {
			return nil, c.described(ctx, err)
		}
	}
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
	u := *c.base
	u.Path, u.RawPath = strings.TrimSuffix(u.Path, "/")+"/"+strings.Join(r.path, "/"), ""
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

// once sends a request once. delay is the value of the header Retry-After.
func (c *Client) once(ctx context.Context, method, address string, body []byte) (answer wire.Raw, delay string, err error) {
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, "", err
	}
	for name, value := range c.headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Accept", "application/json")
	client := c.reads
	if method != http.MethodGet {
		client = c.writes
		req.Header.Set("Content-Type", "application/json")
	}
	response, err := client.Do(req)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode < 200 || response.StatusCode > 299 {
		said, _ := io.ReadAll(io.LimitReader(response.Body, maxRefusal)) // the status counts
		return nil, response.Header.Get("Retry-After"), c.refusal(response.StatusCode, said)
	}
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
