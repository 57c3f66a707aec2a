package telemetry

import (
	"context"

	"go.opentelemetry.io/otel/attribute"

	"github.com/agenthost/agenthost/runs"
)

// Began records how long a run has waited for its turn. It is for the Began of a server. A nil Telemetry does nothing.
func (t *Telemetry) Began(r *runs.Run) {
	if t == nil || r.Attempt > 1 { // it had its turn before
		return
	}
	since := r.Created
	if r.Due.After(since) {
		since = r.Due
	}
	t.tracer.meters.queueWait.Record(context.Background(), max(0, t.tracer.now().Sub(since).Seconds()), with(nil, attribute.String(attrAgentName, r.Agent)))
}
