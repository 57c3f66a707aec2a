package langgraph

import (
	"context"
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

// join answers with what came of a run when it is over.
func (h *Handler) join(c *call, run *runs.Run, cancels bool) error {
	ctx, stop := context.WithCancel(c.R.Context())
	defer stop()
	left := context.AfterFunc(h.Closing, stop)
	defer left()
	awake := newAwake(c, h.Heartbeat)
	type end struct {
		run *runs.Run
		err error
	}
	ended := make(chan end, 1)
	go func() {
		over, err := h.Service.Reader().Wait(ctx, c.Owner, run.ID)
		ended <- end{over, err}
	}()
	for {
		select {
		case <-awake.tick.C:
			if err := awake.write(); err != nil {
				stop()
			}
			continue
		case e := <-ended:
			awake.tick.Stop()
			switch {
			case e.err != nil && c.R.Context().Err() != nil:
				access.Note(c.R.Context(), e.err)
				if cancels {
					h.CancelLeft(c.Call, run.ID)
				}
				return nil
			case errors.Is(e.err, runs.ErrNoRun): // it was rolled back
				return awake.answer(struct{}{})
			case e.err != nil && h.Closing.Err() != nil:
				return awake.fail(&detail.Error{
					Status: http.StatusServiceUnavailable, RetryAfter: time.Second, Cause: e.err,
					Text: "the server is stopping; the run goes on, so join it again",
				})
			case e.err != nil:
				return awake.fail(e.err)
			}
			document, err := h.outcome(c, e.run)
			if err != nil {
				return awake.fail(err)
			}
			return awake.answer(document)
		}
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

// awake keeps a connection open on which an answer takes long: it sends white space, which JSON allows before a document.
type awake struct {
	c       *call
	tick    *time.Ticker
	every   time.Duration
	written bool
}

func newAwake(c *call, every time.Duration) *awake {
	if every <= 0 {
		every = 5 * time.Second
	}
	return &awake{c: c, every: every, tick: time.NewTicker(every)} //nolint:forbidigo // proxies wait in real time
}

// write sends a blank. Afterwards the status of the answer cannot be changed.
func (a *awake) write() error {
	control := http.NewResponseController(a.c.W)
	if err := control.SetWriteDeadline(time.Now().Add(2 * a.every)); err != nil { //nolint:forbidigo // deadlines are in real time
		return err
	}
	if !a.written {
		a.c.W.Header().Set("Content-Type", "application/json")
		a.written = true
	}
	if _, err := a.c.W.Write([]byte("\n")); err != nil {
		return err
	}
	return control.Flush()
}

func (a *awake) answer(document any) error { return a.c.Finish(document, a.written) }

// fail answers with an error; if a part of the answer was sent, in the form in which a failure of the run is told.
func (a *awake) fail(err error) error {
	if !a.written {
		return err
	}
	access.Note(a.c.R.Context(), err)
	return a.c.Finish(map[string]any{"__error__": map[string]string{"error": "Error", "message": a.c.explain(err).Error()}}, true)
}
