package httptool

import (
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// request makes the request for a call. The error is an [*argumentError].
func (t *Tool) request(args wire.Map, idempotencyKey string) (*abi.FetchRequest, error) {
	r := &abi.FetchRequest{Method: t.config.Method}
	var err error
	if r.URL, err = t.target.url(args); err != nil {
		return nil, err
	}
	if r.Headers, err = t.requestHeaders(args, idempotencyKey); err != nil {
		return nil, err
	}
	if t.body != nil {
		if body, complete := t.body.appendJSON(nil, args); complete {
			r.Body = body
		}
	}
	return r, nil
}

// requestHeaders returns the operator's headers, plus the standard ones that the operator did not set.
func (t *Tool) requestHeaders(args wire.Map, idempotencyKey string) ([]abi.Header, error) {
	var headers []abi.Header
	for _, h := range t.headers {
		value, complete, err := h.value.fill(args, inHeader)
		if err != nil {
			return nil, err
		}
		if complete {
			headers = append(headers, abi.Header{Name: h.name, Value: value})
		}
	}
	add := func(name, value string) {
		if value != "" && !t.hasHeader(name) {
			headers = append(headers, abi.Header{Name: name, Value: value})
		}
	}
	add("accept", "application/json, text/*;q=0.9, */*;q=0.8")
	add("idempotency-key", idempotencyKey)
	if t.body != nil {
		add("content-type", "application/json")
	}
	return headers, nil
}

// inHeader accepts a value that fits on one line.
func inHeader(name, value string) (string, error) {
	if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "", &argumentError{name, "must not contain line breaks or control characters, because it is part of a header"}
	}
	return value, nil
}
