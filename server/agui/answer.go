package agui

import (
	"errors"
	"net/http"
	"time"

	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/internal/access"
	"github.com/agenthost/agenthost/server/internal/detail"
	"github.com/agenthost/agenthost/server/internal/door"
)

// unprocessable returns the error for a request that says something impossible.
func unprocessable(format string, args ...any) error {
	return detail.Errorf(http.StatusUnprocessableEntity, format, args...)
}

// fail answers with an error. The protocol has no form for those of requests: its client shows the JSON.
func fail(c *door.Call, err error) {
	err = explain(c, err)
	access.Note(c.R.Context(), err)
	detail.Write(c.W, err)
}

// lost answers a request that no route takes.
func lost(c *door.Call, allowed []string) {
	if allowed == nil {
		detail.Write(c.W, detail.Errorf(http.StatusNotFound, "there is no such path; the agents are below /agui/"))
		return
	}
	c.W.Header().Set("Allow", door.Allow(allowed))
	detail.Write(c.W, detail.Errorf(http.StatusMethodNotAllowed, "POST the input of a run"))
}

// explain returns an error with the answer that a client gets.
func explain(c *door.Call, err error) error {
	var own *detail.Error
	var status int
	gone := door.Gone(c.R.Context(), err)
	switch {
	case errors.As(err, &own):
		return own
	case gone != nil:
		return gone
	case errors.Is(err, runs.ErrNoAssistant), errors.Is(err, runs.ErrNoAgent), errors.Is(err, runs.ErrNoThread), errors.Is(err, runs.ErrNoRun):
		status = http.StatusNotFound
	case door.IsBusy(err):
		status = http.StatusConflict
	case errors.Is(err, runs.ErrBudgetSpent):
		status = http.StatusPaymentRequired
	case errors.Is(err, runs.ErrQueueFull):
		return &detail.Error{Status: http.StatusTooManyRequests, Text: err.Error(), RetryAfter: time.Second, Cause: err}
	case door.IsInvalid(err):
		status = http.StatusUnprocessableEntity
	default:
		return err
	}
	return &detail.Error{Status: status, Text: err.Error(), Cause: err}
}
