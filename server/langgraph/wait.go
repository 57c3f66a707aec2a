package langgraph

import (
	"errors"
	"net/http"
	"time"

	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/internal/access"
	"github.com/agenthost/agenthost/server/internal/detail"
	"github.com/agenthost/agenthost/server/internal/door"
	"github.com/agenthost/agenthost/server/internal/openapi"
)

func (h *Handler) waitNew(c *call) (door.Reply, error)       { return h.waitBody(c, false) }
func (h *Handler) waitStateless(c *call) (door.Reply, error) { return h.waitBody(c, true) }

// waitBody starts a run and answers with what came of it.
func (h *Handler) waitBody(c *call, stateless bool) (door.Reply, error) {
	run, body, err := h.submitBody(c, stateless)
	if err != nil {
		return nil, err
	}
	locate(c, run, "/join", false)
	return func() error { return h.join(c, run, body.cancels()) }, nil
}

func (h *Handler) joinRun(c *call) (door.Reply, error) {
	run, err := h.runOfPath(c)
	if err != nil {
		return nil, err
	}
	cancels, err := c.flag("cancel_on_disconnect")
	if err != nil {
		return nil, err
	}
	locate(c, run, "/join", false)
	return func() error { return h.join(c, run, cancels) }, nil
}

// join answers with what came of a run when it is over. Once a heartbeat was sent, an error is told in the form of a run's failure.
func (h *Handler) join(c *call, run *runs.Run, cancels bool) error {
	over, begun, err := h.Await(c.Call, run.ID, 1)
	var document any = struct{}{}
	switch {
	case errors.Is(err, door.ErrLeft):
		return h.left(c, run, cancels)
	case errors.Is(err, runs.ErrNoRun): // it was rolled back
		err = nil
	case errors.Is(err, door.ErrStopping):
		err = stopping(err)
	case err == nil:
		document, err = h.outcome(c, over)
	}
	if err != nil {
		if !begun {
			return err
		}
		access.Note(c.R.Context(), err)
		document = map[string]any{"__error__": map[string]string{"error": "Error", "message": c.explain(err).Error()}}
	}
	return c.Finish(document, begun)
}

// left ends the answer of a client that is gone.
func (h *Handler) left(c *call, run *runs.Run, cancels bool) error {
	access.Note(c.R.Context(), door.ErrLeft)
	if cancels {
		h.CancelLeft(c.Call, run.ID)
	}
	return nil
}

// stopping returns the error for a client whose server stops.
func stopping(cause error) error {
	return &detail.Error{
		Status: http.StatusServiceUnavailable, RetryAfter: time.Second, Cause: cause,
		Text: "the server is stopping; the run goes on, so join it again",
	}
}

// outcomeDocument is what came of a run.
type outcomeDocument struct{}

// JSONSchema returns the schema of values.
func (outcomeDocument) JSONSchema() openapi.Schema {
	return openapi.Schema{
		"type": "object",
		"description": "The values of the thread. A run that waits for answers also has its questions as `__interrupt__`. " +
			"A run that failed has only `__error__`. A run that was rolled back has nothing.",
	}
}

// outcome returns what came of a run that is over: the values of its thread then, or why it failed.
func (h *Handler) outcome(c *call, run *runs.Run) (any, error) {
	if run.Failure != nil {
		return map[string]any{"__error__": run.Failure}, nil
	}
	if run.After == 0 {
		return struct{}{}, nil
	}
	s, err := h.stateAt(c.R.Context(), run, run.After)
	if err != nil || s.Snapshot == nil {
		return struct{}{}, err
	}
	content := h.content(s)
	if len(s.Interrupts) == 0 {
		return content, nil
	}
	asked := questionsOf(s.Interrupts)
	return content.With("__interrupt__", asked), nil
}
