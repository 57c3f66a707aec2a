package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/internal/access"
	"github.com/agenthost/agenthost/server/internal/detail"
	"github.com/agenthost/agenthost/server/internal/door"
)

// fault is an error with what a client of OpenAI learns of it.
type fault struct {
	*told

	param string // the member of the request that is wrong; "": none
	code  string // "": none
	final bool   // the request must not be sent again by itself
}

func (f *fault) Unwrap() error { return f.told }

// told is what every door tells of an error.
type told = detail.Error

// invalid returns the error for a member of a request that is wrong.
func invalid(param, format string, args ...any) error {
	return &fault{told: detail.Errorf(http.StatusBadRequest, format, args...), param: param}
}

// notFound returns the error for something that does not exist.
func notFound(code, format string, args ...any) error {
	return &fault{told: detail.Errorf(http.StatusNotFound, format, args...), code: code}
}

// openAIErrorDocument is an error as OpenAI's API has it.
type openAIErrorDocument struct {
	Error openAIErrorText `json:"error"`
}

type openAIErrorText struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    *string `json:"code"`
}

func (f *fault) document() openAIErrorDocument {
	return openAIErrorDocument{openAIErrorText{detail.Text(f.Text), typeOf(f.Status), textOrNull(f.param), textOrNull(f.code)}}
}

// typeOf returns the type of errors with a status.
func typeOf(status int) string {
	switch {
	case status == http.StatusUnauthorized:
		return "authentication_error"
	case status == http.StatusForbidden:
		return "permission_error"
	case status == http.StatusTooManyRequests:
		return "rate_limit_error"
	case status == http.StatusConflict:
		return "conflict_error"
	case status >= http.StatusInternalServerError:
		return "server_error"
	default:
		return "invalid_request_error"
	}
}

// Explain returns the status and the document of an error that occurred before a request reached the door.
func Explain(e *detail.Error) any { return (&fault{told: e}).document() }

// fail answers with an error. What is not meant for clients goes to the log.
func fail(c *door.Call, err error) {
	f := explain(c.R.Context(), err)
	access.Note(c.R.Context(), err)
	h := c.W.Header()
	h.Set("Content-Type", "application/json")
	h.Set("X-Content-Type-Options", "nosniff")
	detail.RetryAfter(h, f.RetryAfter)
	if f.final {
		h.Set("X-Should-Retry", "false")
	}
	body, err := json.Marshal(f.document())
	if err != nil { // it has texts alone
		return
	}
	c.W.WriteHeader(f.Status)
	_, _ = c.W.Write(body)
}

// lost answers a call that no route takes.
func lost(c *door.Call, allowed []string) {
	f := &fault{told: detail.Errorf(http.StatusNotFound, "Invalid URL (%s %.200s)", c.R.Method, c.R.URL.Path)}
	if allowed != nil {
		c.W.Header().Set("Allow", door.Allow(allowed))
		f.told = detail.Errorf(http.StatusMethodNotAllowed, "Not allowed to %s on %.200s", c.R.Method, c.R.URL.Path)
	}
	fail(c, f)
}

// explain returns an error in the words of OpenAI's API.
func explain(ctx context.Context, err error) *fault {
	var own *fault
	gone := door.Gone(ctx, err)
	said := func(status int, code string) *fault {
		return &fault{told: &detail.Error{Status: status, Text: err.Error(), Cause: err}, code: code}
	}
	switch {
	case errors.As(err, &own):
		return own
	case gone != nil:
		return &fault{told: gone}
	case errors.Is(err, runs.ErrNoThread):
		return said(http.StatusNotFound, "thread_not_found")
	case errors.Is(err, runs.ErrNoRun):
		return said(http.StatusNotFound, "response_not_found")
	case door.IsBusy(err):
		f := said(http.StatusConflict, "thread_busy")
		f.Text, f.RetryAfter = "The thread has a run that is not over; wait for its end, or cancel it.", time.Second
		return f
	case errors.Is(err, runs.ErrRunOver):
		return said(http.StatusConflict, "response_over")
	case errors.Is(err, runs.ErrBudgetSpent): // a 429, which OpenAI has for this, would be tried again
		return said(http.StatusPaymentRequired, "insufficient_quota")
	case errors.Is(err, runs.ErrQueueFull):
		f := said(http.StatusTooManyRequests, "rate_limit_exceeded")
		f.RetryAfter = time.Second
		return f
	case door.IsInvalid(err), errors.Is(err, runs.ErrNoAgent):
		return said(http.StatusBadRequest, "")
	}
	e := detail.Of(err)
	if e.Status == http.StatusUnprocessableEntity { // OpenAI's API has no such status
		e = &detail.Error{Status: http.StatusBadRequest, Text: e.Text, Cause: e.Cause}
	}
	return &fault{told: e}
}

// failureOf returns the error for a run that failed. It is not sent again by itself, because it may have done something already.
func failureOf(f *runs.Failure) *fault {
	status := http.StatusInternalServerError
	if f.Type == "timeout" {
		status = http.StatusGatewayTimeout
	}
	return &fault{told: detail.Errorf(status, "%s", f.Message), code: f.Type, final: true}
}

func cancelled(run *runs.Run) *fault {
	return &fault{told: detail.Errorf(http.StatusConflict, "The run %s was cancelled.", run.ID), code: "cancelled", final: true}
}

// stopping returns the error for a run whose end this server does not see.
func stopping(run *runs.Run) *fault {
	return &fault{
		told: detail.Errorf(http.StatusServiceUnavailable, "The server is stopping. The run %s of the thread %s goes on.", run.ID, run.Thread),
		code: "stopping", final: true,
	}
}

// textOrNull returns a text, or null in place of none.
func textOrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// unknownModel returns the error for a model that there is not.
func unknownModel(name string, known []string) error {
	return &fault{
		told:  detail.Errorf(http.StatusNotFound, "The model %.64q does not exist; there are %s.", name, fmt.Sprintf("%q", known)),
		param: "model", code: "model_not_found",
	}
}
