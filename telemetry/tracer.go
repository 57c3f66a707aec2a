//go:build !no_otel

package telemetry

import (
	"context"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/tracecontext"
)

// tracer turns what an agent does into spans and metrics.
type tracer struct {
	spans      trace.Tracer
	meters     *meters
	content    bool
	user       bool
	propagates bool
	now        func() time.Time
	runs       sync.Map // by the id of a run, the trace.SpanContext of its span, for the log
}

func newTracer(spans *sdktrace.TracerProvider, provider *sdkmetric.MeterProvider, s *settings, clock func() time.Time) (*tracer, error) {
	t := &tracer{content: s.content && spans != nil, user: s.user, propagates: s.propagates, now: clock}
	if t.now == nil {
		t.now = time.Now //nolint:forbidigo // spans have the times of the machine
	}
	t.spans = noop.NewTracerProvider().Tracer(scope)
	if spans != nil {
		t.spans = spans.Tracer(scope)
	}
	var err error
	t.meters, err = newMeters(provider.Meter(scope))
	return t, err
}

// Start begins a span.
func (t *tracer) Start(ctx context.Context, s host.Span) (context.Context, func(e *host.Event)) {
	switch s.Kind {
	case host.SpanRun:
		return t.run(ctx, &s)
	case host.SpanModel:
		return t.model(ctx, &s)
	case host.SpanTool:
		return t.tool(ctx, &s)
	case host.SpanHook:
		return t.hook(ctx, &s)
	case host.SpanCheckpoint:
		return t.checkpoint(ctx, &s)
	default: // a kind of a later version
		return ctx, func(*host.Event) {}
	}
}

// begin begins a span within that of the context, or within the one that another process has named.
func (t *tracer) begin(ctx context.Context, name string, kind trace.SpanKind, links []trace.Link, attributes ...attribute.KeyValue) (context.Context, *span) {
	if !trace.SpanContextFromContext(ctx).IsValid() {
		ctx = trace.ContextWithRemoteSpanContext(ctx, remote(tracecontext.From(ctx)))
	}
	s := &span{tracer: t, begun: t.now()}
	ctx, s.Span = t.spans.Start(ctx, name, trace.WithSpanKind(kind), trace.WithTimestamp(s.begun), //nolint:spancheck // the caller ends it
		trace.WithLinks(links...), trace.WithAttributes(attributes...))
	if t.propagates && s.SpanContext().IsValid() {
		ctx = tracecontext.With(ctx, ownContext(s.SpanContext()))
	}
	return ctx, s
}

// remote returns the span that a foreign context names; the zero one if it names none.
func remote(c tracecontext.Context) trace.SpanContext {
	if c.Parent == "" {
		return trace.SpanContext{}
	}
	carrier := propagation.MapCarrier{tracecontext.ParentKey: c.Parent, tracecontext.StateKey: c.State}
	return trace.SpanContextFromContext(propagation.TraceContext{}.Extract(context.Background(), carrier))
}

// ownContext returns how others name a span.
func ownContext(c trace.SpanContext) tracecontext.Context {
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(trace.ContextWithSpanContext(context.Background(), c), carrier)
	return tracecontext.Context{Parent: carrier[tracecontext.ParentKey], State: carrier[tracecontext.StateKey]}
}

// span is a span that has begun.
type span struct {
	trace.Span

	tracer *tracer
	begun  time.Time
}

// fail marks the span as failed. The text of the error is left out: it may quote what the user or the model has said.
func (s *span) fail(e *host.EventError) {
	if e == nil {
		return
	}
	s.SetStatus(codes.Error, "")
	s.SetAttributes(attribute.String(attrErrorType, e.Type))
}

// asked notes how many questions to people came of it.
func (s *span) asked(questions []host.Interrupt) {
	if len(questions) > 0 {
		s.SetAttributes(attribute.Int(attrInterrupts, len(questions)))
	}
}

// end ends the span now, and returns how long it took, in seconds.
func (s *span) end() float64 {
	now := s.tracer.now()
	s.End(trace.WithTimestamp(now))
	return now.Sub(s.begun).Seconds()
}

// errorOf returns the attribute for metrics; nothing without an error.
func errorOf(e *host.EventError) []attribute.KeyValue {
	if e == nil {
		return nil
	}
	return []attribute.KeyValue{attribute.String(attrErrorType, e.Type)}
}

func with(common []attribute.KeyValue, more ...attribute.KeyValue) metric.MeasurementOption {
	return metric.WithAttributes(append(append(make([]attribute.KeyValue, 0, len(common)+len(more)), common...), more...)...)
}

// named returns the attribute unless its value is empty.
func named(key, value string) []attribute.KeyValue {
	if value == "" {
		return nil
	}
	return []attribute.KeyValue{attribute.String(key, value)}
}
