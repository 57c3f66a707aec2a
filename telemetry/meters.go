//go:build !no_otel

package telemetry

import (
	"errors"

	"go.opentelemetry.io/otel/metric"
)

// meters are the instruments.
type meters struct {
	operation, firstChunk, invoke, tool, hook, save, request, queueWait metric.Float64Histogram
	tokens, fuel, written                                               metric.Int64Histogram
	runs, faults                                                        metric.Int64Counter
	cost                                                                metric.Float64Counter
	active                                                              metric.Int64UpDownCounter
	queued                                                              metric.Int64ObservableGauge
	gauges                                                              gauges
	observe                                                             func(metric.Callback, ...metric.Observable) (metric.Registration, error)
}

func newMeters(m metric.Meter) (*meters, error) {
	out := &meters{observe: m.RegisterCallback}
	var errs []error
	seconds := func(into *metric.Float64Histogram, name, what string, buckets []float64) {
		made, err := m.Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(what), metric.WithExplicitBucketBoundaries(buckets...))
		*into, errs = made, append(errs, err)
	}
	counts := func(into *metric.Int64Histogram, name, unit, what string, buckets []float64) {
		made, err := m.Int64Histogram(name, metric.WithUnit(unit), metric.WithDescription(what), metric.WithExplicitBucketBoundaries(buckets...))
		*into, errs = made, append(errs, err)
	}
	count := func(into *metric.Int64Counter, name, unit, what string) {
		made, err := m.Int64Counter(name, metric.WithUnit(unit), metric.WithDescription(what))
		*into, errs = made, append(errs, err)
	}
	seconds(&out.operation, metricOperation, "Duration of model calls.", durationBuckets)
	seconds(&out.firstChunk, metricFirstChunk, "Time to the first token of a streamed answer.", durationBuckets)
	seconds(&out.invoke, metricInvoke, "Duration of runs, or of the parts between two questions.", durationBuckets)
	seconds(&out.tool, metricTool, "Duration of tool calls, with the hooks around them.", durationBuckets)
	seconds(&out.hook, metricHook, "Duration of hooks; of those around a call, with the call.", hookBuckets)
	seconds(&out.save, metricSave, "Duration of saving a checkpoint.", hookBuckets)
	seconds(&out.request, metricRequest, "Duration of HTTP requests to the server.", requestBuckets)
	seconds(&out.queueWait, metricQueueWait, "Time from when a run may begin to its beginning.", durationBuckets)
	counts(&out.tokens, metricTokens, "{token}", "Tokens of a model call.", tokenBuckets)
	counts(&out.fuel, metricFuel, "{fuel}", "Fuel that a call of a plugin's hook used.", fuelBuckets)
	counts(&out.written, metricBytes, "By", "Bytes that a checkpoint takes in the database.", byteBuckets)
	count(&out.runs, metricRuns, "{run}", "Runs that have ended, or stopped at a question.")
	count(&out.faults, metricFaults, "{fault}", "Calls of a plugin's hooks that failed.")
	cost, err := m.Float64Counter(metricCost, metric.WithDescription("What model calls cost, by the prices of the agent, in its currency."))
	out.cost, errs = cost, append(errs, err)
	active, err := m.Int64UpDownCounter(metricActive, metric.WithUnit("{run}"), metric.WithDescription("Runs that are being performed."))
	out.active, errs = active, append(errs, err)
	queued, err := m.Int64ObservableGauge(metricQueued, metric.WithUnit("{run}"),
		metric.WithDescription("Runs in the database that wait for a process to perform them; the same for all processes."))
	out.queued, errs = queued, append(errs, err)
	out.gauges, err = newGauges(m)
	return out, errors.Join(append(errs, err)...)
}
