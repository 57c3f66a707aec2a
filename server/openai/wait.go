package openai

import (
	"errors"

	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/internal/access"
	"github.com/agenthost/agenthost/server/internal/door"
	"github.com/agenthost/agenthost/server/openai/internal/answer"
)

// quiet is after how many heartbeats a wait begins to keep its connection alive: after 15 s, which is soon enough for proxies that allow 30 s of
// silence. Until then an error has its own status, for which OpenAI's clients raise an exception.
const quiet = 3

// wait returns the answer that waits for the end of a run and makes a document of it. If the client goes away before that, the run is cancelled if
// that is wanted.
func (h *Handler) wait(c *door.Call, v *view, cancels bool, document func(whole *answer.Answer) (any, error)) door.Reply {
	return func() error {
		run, begun, err := h.Await(c, v.run.ID, quiet)
		var out any
		switch {
		case errors.Is(err, door.ErrLeft):
			access.Note(c.R.Context(), err)
			if cancels {
				h.CancelLeft(c, v.run.ID)
			}
			return nil
		case errors.Is(err, door.ErrStopping):
			err = stopping(v.run)
		case errors.Is(err, runs.ErrNoRun): // it was rolled back
			err = cancelled(v.run)
		case err == nil:
			v.run = run
			out, err = h.document(c, v, document)
		}
		if err != nil {
			if !begun {
				return err
			}
			access.Note(c.R.Context(), err)
			out = explain(c.R.Context(), err).document()
		}
		return c.Finish(out, begun)
	}
}

func (h *Handler) document(c *door.Call, v *view, document func(*answer.Answer) (any, error)) (any, error) {
	whole, err := h.whole(c.R.Context(), v)
	if err != nil {
		return nil, err
	}
	return document(whole)
}
