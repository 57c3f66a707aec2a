package provider

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/internal/text"
)

// failureReport is what a provider says about a failure.
type failureReport struct {
	message string
	codes   []string      // the types, codes and statuses of the failure, in lower case
	delay   time.Duration // how long to wait; 0 if the provider does not say
}

// failureDocument is the body of OpenAI ({error: {message, type, code}}), Anthropic ({type: "error", error: {type, message}}),
// Gemini ({error: {code, message, status, details}}), and of servers that are compatible with them ({error: text},
// {message}, {detail}).
type failureDocument struct {
	Error   json.RawMessage `json:"error"`
	Message string          `json:"message"`
	Detail  json.RawMessage `json:"detail"`
	Type    string          `json:"type"`
	Code    json.RawMessage `json:"code"`
	Status  string          `json:"status"`
	Details []struct {
		Reason     string `json:"reason"`
		RetryDelay string `json:"retryDelay"`
	} `json:"details"`
}

// read decodes a document. It skips fields of an unexpected type: Azure, for example, sends the status as a number.
func (d *failureDocument) read(body []byte) bool {
	err := json.Unmarshal(body, d)
	_, other := errors.AsType[*json.UnmarshalTypeError](err)
	return err == nil || other
}

// maxMessage is the maximum length of a provider's message, in bytes; the rest is cut.
const maxMessage = 1000

func readFailure(body []byte) failureReport {
	var d failureDocument
	content := strings.TrimSpace(string(body))
	content = strings.TrimSuffix(strings.TrimPrefix(content, "["), "]") // Gemini answers a streaming request with a list
	if !d.read([]byte(content)) {
		return failureReport{message: short(content)}
	}
	var out failureReport
	out.add(&d)
	if len(d.Error) > 0 {
		var inner failureDocument
		var plain string
		switch {
		case json.Unmarshal(d.Error, &plain) == nil:
			out.message = plain
		case inner.read(d.Error):
			out.add(&inner)
		}
	}
	if out.message == "" && len(d.Detail) > 0 {
		out.message = string(d.Detail)
	}
	if out.message == "" {
		out.message = content
	}
	out.message = short(out.message)
	return out
}

func (r *failureReport) add(d *failureDocument) {
	if d.Message != "" {
		r.message = d.Message
	}
	code := strings.Trim(string(d.Code), `"`)
	for _, word := range []string{d.Type, code, d.Status} {
		if word != "" && word != "null" {
			r.codes = append(r.codes, strings.ToLower(word))
		}
	}
	for _, detail := range d.Details {
		if detail.Reason != "" {
			r.codes = append(r.codes, strings.ToLower(detail.Reason))
		}
		if delay, err := time.ParseDuration(detail.RetryDelay); err == nil && delay > 0 {
			r.delay = delay
		}
	}
}

func (r *failureReport) has(words ...string) bool {
	return slices.ContainsFunc(r.codes, func(code string) bool { return slices.Contains(words, code) })
}

// status returns the HTTP status among the codes, where OpenRouter and Gemini put it in a stream, or 0 if there is none.
func (r *failureReport) status() int {
	for _, code := range r.codes {
		if n, err := strconv.Atoi(code); err == nil && n >= http.StatusBadRequest && n < 600 {
			return n
		}
	}
	return 0
}

// tooLong lists phrases in messages that say that a request exceeds the context, for providers that send no code for it.
var tooLong = []string{
	"maximum context length", "context length exceeded", "context window", "prompt is too long", "input is too long",
	"exceeds the maximum number of tokens", "input token count",
}

// kindOf classifies a failure, first by the provider's codes, then by the status, then by the message.
func kindOf(status int, r failureReport) model.ErrorKind {
	message := strings.ToLower(r.message)
	switch {
	case r.has("context_length_exceeded", "string_above_max_length", "request_too_large"):
		return model.ErrorContextLength
	case r.has("insufficient_quota", "billing_error", "billing_not_active", "billing_hard_limit_reached"):
		return model.ErrorQuota
	case r.has("invalid_api_key", "authentication_error", "api_key_invalid", "unauthenticated"):
		return model.ErrorAuthentication
	case r.has("content_filter", "content_policy_violation"):
		return model.ErrorContentFilter
	case r.has("model_not_found", "not_found_error"):
		return model.ErrorNotFound
	case r.has("overloaded_error", "overloaded", "unavailable"):
		return model.ErrorOverloaded
	case r.has("rate_limit_error", "rate_limit_exceeded", "resource_exhausted"):
		return model.ErrorRateLimit
	case r.has("timeout_error", "deadline_exceeded"):
		return model.ErrorTimeout
	}
	switch status {
	case http.StatusUnauthorized, http.StatusProxyAuthRequired:
		return model.ErrorAuthentication
	case http.StatusPaymentRequired:
		return model.ErrorQuota
	case http.StatusForbidden:
		return model.ErrorPermission
	case http.StatusNotFound, http.StatusGone:
		return model.ErrorNotFound
	case http.StatusRequestTimeout, http.StatusGatewayTimeout:
		return model.ErrorTimeout
	case http.StatusConflict, http.StatusInternalServerError, http.StatusBadGateway:
		return model.ErrorServer
	case http.StatusRequestEntityTooLarge:
		return model.ErrorContextLength
	case http.StatusTooManyRequests:
		return model.ErrorRateLimit
	case http.StatusServiceUnavailable, statusOverloaded:
		return model.ErrorOverloaded
	}
	for _, piece := range tooLong {
		if strings.Contains(message, piece) {
			return model.ErrorContextLength
		}
	}
	if status >= http.StatusInternalServerError || r.has("api_error", "server_error", "internal_error", "internal") {
		return model.ErrorServer
	}
	return model.ErrorInvalidRequest
}

// statusOverloaded is Anthropic's own status.
const statusOverloaded = 529

// retryAfter returns how long the provider asks to wait.
func retryAfter(h http.Header, r failureReport) time.Duration {
	for _, from := range []struct {
		header string
		unit   time.Duration
	}{{"Retry-After-Ms", time.Millisecond}, {"Retry-After", time.Second}} {
		value := h.Get(from.header)
		if n, err := strconv.ParseFloat(value, 64); err == nil && n >= 0 && n < float64(math.MaxInt64/from.unit) {
			return time.Duration(n * float64(from.unit))
		}
		if from.unit != time.Second {
			continue
		}
		if at, err := http.ParseTime(value); err == nil {
			return max(0, at.Sub(date(h)))
		}
	}
	return r.delay
}

// date returns when the response was made, by the provider's clock.
func date(h http.Header) time.Time {
	if at, err := http.ParseTime(h.Get("Date")); err == nil {
		return at
	}
	return time.Now() //nolint:forbidigo // the response does not say
}

// InStream returns the error that a provider reported in the middle of a stream, in the format of its error bodies.
func InStream(name string, body []byte) *model.Error {
	report := readFailure(body)
	kind := kindOf(report.status(), report)
	return &model.Error{
		Provider: name, Kind: kind, Retryable: kind.Passing(), RetryAfter: report.delay,
		Err: errors.New("the provider failed in the middle of its answer: " + report.message),
	}
}

// Failed converts the error of a call to a [*model.Error], or to the cause of the cancellation if the call was cancelled.
func Failed(ctx context.Context, name string, err error) error {
	if err == nil {
		return nil
	}
	if refused, ok := errors.AsType[*model.Error](err); ok {
		return refused
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return context.Cause(ctx)
	}
	if refused := untrusted(name, err); refused != nil {
		return refused
	}
	if strings.HasSuffix(err.Error(), http.StatusText(http.StatusProxyAuthRequired)) { // of package net/http, which has no type for it
		return &model.Error{Provider: name, Kind: model.ErrorAuthentication, Err: errProxyAuth}
	}
	if request, ok := errors.AsType[*url.Error](err); ok { // the outer error shows the address, which may contain a key
		err = request.Err
	}
	kind := model.ErrorResponse
	var tooLarge *TooLargeError
	var network net.Error
	var operation *net.OpError
	var connection *connectionError
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		kind = model.ErrorTimeout
		if errors.Is(err, context.DeadlineExceeded) {
			err = &connectionError{problem: "no answer came in the time that the call had; raise the time limit, or check the server", err: err}
		}
	case errors.As(err, &tooLarge):
		return &model.Error{Provider: name, Kind: model.ErrorResponse, Err: tooLarge}
	case errors.As(err, &connection), errors.As(err, &operation), errors.As(err, &network), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF),
		errors.Is(err, net.ErrClosed), strings.Contains(err.Error(), "http2:"), strings.Contains(err.Error(), "connection reset"):
		kind = model.ErrorConnection
		if connection == nil {
			err = &connectionError{problem: "the connection broke before the answer was complete: " + err.Error(), err: err}
		}
	}
	lasting := connection != nil && connection.lasting
	return &model.Error{Provider: name, Kind: kind, Retryable: kind.Passing() && !lasting, Err: err}
}

// errProxyAuth means that the proxy wants a password, or another one.
var errProxyAuth = errors.New("the proxy refuses the request without the right user and password; write them into its address, in the key " +
	"proxy of the model or in HTTPS_PROXY")

// Broken returns the error for a response that is invalid or incomplete. A retry may succeed.
func Broken(name, what string) *model.Error {
	return &model.Error{Provider: name, Kind: model.ErrorResponse, Retryable: true, Err: errors.New(short(what))}
}

// Named returns an error of a model under another name of its provider; any other error is returned as it is.
func Named(name string, err error) error {
	said, ok := errors.AsType[*model.Error](err)
	if !ok || said.Provider == name {
		return err
	}
	out := *said
	out.Provider = name
	return &out
}

// UnsetError means that the configuration lacks a value, such as a region, that the environment may have later.
type UnsetError struct {
	Problem string // what is missing, and what to set
}

func (e *UnsetError) Error() string { return e.Problem }

// Unset returns the error for a model whose configuration lacks a value.
func Unset(name, problem string) *model.Error {
	return &model.Error{Provider: name, Kind: model.ErrorAuthentication, Err: &UnsetError{problem}}
}

// Unauthorized returns the error for a request for which there are no credentials, or none could be fetched. An error that is already
// one of a model keeps its kind.
func Unauthorized(name string, err error) error {
	if known, ok := errors.AsType[*model.Error](err); ok {
		return known
	}
	return &model.Error{Provider: name, Kind: model.ErrorAuthentication, Err: err}
}

// short makes a provider's text safe for a terminal and cuts it to maxMessage.
func short(message string) string {
	message = text.Clean(message)
	if len(message) <= maxMessage {
		return message
	}
	return text.Head(message, maxMessage) + " …"
}
