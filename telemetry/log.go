//go:build !no_otel

package telemetry

import (
	"context"
	"errors"
	"log/slog"

	"go.opentelemetry.io/otel/trace"
)

// LogHandler returns a handler that adds trace_id and span_id to the records of a run or a request, before it passes them to next, and that sends all
// records if the variables OTEL_* ask for it. A nil Telemetry returns next.
func (t *Telemetry) LogHandler(next slog.Handler) slog.Handler {
	if t == nil {
		return next
	}
	return &logHandler{tracer: t.tracer, next: next, sent: t.logs}
}

type logHandler struct {
	tracer *tracer
	next   slog.Handler
	sent   slog.Handler // nil: they are not sent
}

// Enabled reports whether next takes the level: what people do not see is not sent either.
func (h *logHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level)
}

// Handle passes a record on.
func (h *logHandler) Handle(ctx context.Context, r slog.Record) error {
	at := trace.SpanContextFromContext(ctx)
	if !at.IsValid() {
		if at = h.ofRun(r); at.IsValid() {
			ctx = trace.ContextWithSpanContext(ctx, at)
		}
	}
	var failed error
	if h.sent != nil {
		failed = h.sent.Handle(ctx, r)
	}
	if at.IsValid() {
		r = r.Clone()
		r.AddAttrs(slog.String("trace_id", at.TraceID().String()), slog.String("span_id", at.SpanID().String()))
	}
	return errors.Join(h.next.Handle(ctx, r), failed)
}

// ofRun returns the span of the run that a record is about.
func (h *logHandler) ofRun(r slog.Record) (found trace.SpanContext) {
	r.Attrs(func(a slog.Attr) bool {
		if a.Key != "run" {
			return true
		}
		if at, ok := h.tracer.runs.Load(a.Value.String()); ok {
			found, _ = at.(trace.SpanContext)
		}
		return false
	})
	return found
}

// WithAttrs returns a handler whose records have the attributes.
func (h *logHandler) WithAttrs(attributes []slog.Attr) slog.Handler {
	out := *h
	out.next = h.next.WithAttrs(attributes)
	if h.sent != nil {
		out.sent = h.sent.WithAttrs(attributes)
	}
	return &out
}

// WithGroup returns a handler whose records are in the group.
func (h *logHandler) WithGroup(name string) slog.Handler {
	out := *h
	out.next = h.next.WithGroup(name)
	if h.sent != nil {
		out.sent = h.sent.WithGroup(name)
	}
	return &out
}
