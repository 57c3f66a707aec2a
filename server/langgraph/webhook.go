package langgraph

import (
	"context"
	"time"

	"github.com/agenthost/agenthost/runs"
)

// WebhookOf returns what a webhook is told of a run that has ended: the run as clients see it, with the values of its thread and its error.
func (h *Handler) WebhookOf(ctx context.Context, r *runs.Run) (map[string]any, error) {
	out := runOf(r)
	out["values"], out["error"] = nil, nil
	out["webhook_sent_at"] = timeOf(time.Now()) //nolint:forbidigo // that of the machine, as in a store
	if r.Failure != nil {
		out["error"] = r.Failure
	}
	if r.After == 0 {
		return out, nil
	}
	s, err := h.stateAt(ctx, r, r.After)
	if err == nil && s.Snapshot != nil {
		out["values"] = h.content(s)
	}
	return out, err
}
