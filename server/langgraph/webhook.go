package langgraph

import (
	"context"
	"time"

	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/langgraph/internal/frames"
)

// EndedRun is what a webhook is told of a run that has ended: the run as clients see it, with the values of its thread and its error.
type EndedRun struct {
	runDocument

	Values *frames.Content `json:"values"`
	Error  *runs.Failure   `json:"error"`
	Sent   *timestamp      `json:"webhook_sent_at"`
}

// WebhookOf returns what a webhook is told of a run.
func (h *Handler) WebhookOf(ctx context.Context, r *runs.Run) (*EndedRun, error) {
	out := &EndedRun{runDocument: runOf(r), Error: r.Failure, Sent: timeOf(time.Now())} //nolint:forbidigo // the time of the machine, as in a store
	if r.After == 0 {
		return out, nil
	}
	s, err := h.stateAt(ctx, r, r.After)
	if err == nil && s.Snapshot != nil {
		out.Values = new(h.content(s))
	}
	return out, err
}
