//go:build !no_otel

package telemetry

import (
	"context"
	"errors"
	"fmt"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/agenthost/agenthost/host"
)

// gauges are the instruments of [Gauges].
type gauges struct {
	streams, waiting, instances, breaker metric.Int64ObservableGauge
}

func newGauges(m metric.Meter) (g gauges, err error) {
	var errs []error
	gauge := func(into *metric.Int64ObservableGauge, name, unit, what string) {
		made, err := m.Int64ObservableGauge(name, metric.WithUnit(unit), metric.WithDescription(what))
		*into, errs = made, append(errs, err)
	}
	gauge(&g.streams, metricStreams, "{stream}", "Streams that clients read, and requests that wait for a run.")
	gauge(&g.waiting, metricWaiting, "{thread}", "Threads in the database that wait for a person; the same for all processes.")
	gauge(&g.instances, metricInstances, "{instance}", "Instances of a plugin in this process, in use or free.")
	gauge(&g.breaker, metricBreaker, "{breaker}", "1 while a plugin is bypassed after repeated faults, 0 otherwise.")
	return g, errors.Join(errs...)
}

// Watch records what a server says of itself, until end is called. A count that fails leaves its metric out. A nil Telemetry records nothing.
func (t *Telemetry) Watch(of Gauges) (end func() error, err error) {
	if t == nil {
		return func() error { return nil }, nil
	}
	g := &t.tracer.meters.gauges
	registered, err := t.tracer.meters.observe(func(ctx context.Context, o metric.Observer) error {
		o.ObserveInt64(g.streams, int64(of.Streams()))
		byAgent(ctx, o, g.waiting, metricWaiting, of.Waiting)
		for agent, parts := range of.Middleware() {
			for i := range parts {
				if sandbox := parts[i].Sandbox; sandbox != nil {
					observePlugin(o, g, sandbox, with(nil, attribute.String(attrAgentName, agent), attribute.String(attrMiddleware, parts[i].Name)))
				}
			}
		}
		return nil
	}, g.streams, g.waiting, g.instances, g.breaker)
	if err != nil {
		return nil, err
	}
	return registered.Unregister, nil
}

func observePlugin(o metric.Observer, g *gauges, sandbox *host.Sandbox, of metric.MeasurementOption) {
	o.ObserveInt64(g.instances, int64(sandbox.Instances), of)
	if breaker := sandbox.Breaker; breaker != nil {
		open := int64(0)
		if breaker.Open > 0 {
			open = 1
		}
		o.ObserveInt64(g.breaker, open, of)
	}
}

// byAgent observes a count for each agent. A count that fails must not be an error of the callback, which would keep the other metrics from being sent.
func byAgent(ctx context.Context, o metric.Observer, gauge metric.Int64Observable, name string, count func(ctx context.Context) (map[string]int, error)) {
	ctx, cancel := context.WithTimeout(ctx, countTime)
	defer cancel()
	counted, err := count(ctx)
	if err != nil {
		otel.Handle(fmt.Errorf("%s: %w", name, err))
		return
	}
	for agent, n := range counted {
		o.ObserveInt64(gauge, int64(n), with(nil, attribute.String(attrAgentName, agent)))
	}
}
