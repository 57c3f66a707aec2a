//go:build !no_otel

package telemetry

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

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

// countTime is how long a count of the queue may take.
const countTime = 2 * time.Second

// Queue records how many runs of each agent wait for a process, as count says whenever metrics are read, until end is called. A count that fails leaves
// the metric out. A nil Telemetry records nothing.
func (t *Telemetry) Queue(count func(ctx context.Context) (map[string]int, error)) (end func() error, err error) {
	if t == nil {
		return func() error { return nil }, nil
	}
	m := t.tracer.meters
	registered, err := m.observe(func(ctx context.Context, o metric.Observer) error {
		byAgent(ctx, o, m.queued, metricQueued, count)
		return nil
	}, m.queued)
	if err != nil {
		return nil, err
	}
	return registered.Unregister, nil
}
