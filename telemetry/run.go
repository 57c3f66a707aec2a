//go:build !no_otel

package telemetry

import (
	"context"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/tracecontext"
)

// run is a run that is being performed.
type run struct {
	id string

	mu    sync.Mutex
	usage abi.Usage // of its model calls, and of the runs inside it
	held  []*held
}

type runKey struct{}

func runOf(ctx context.Context) *run {
	r, _ := ctx.Value(runKey{}).(*run)
	return r
}

// spend adds the tokens of a model call, or of a run inside this one.
func (r *run) spend(u abi.Usage) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.usage = r.usage.Add(u)
}

// run begins the span of a run. One that goes on is linked to the part before, which may have ended days ago.
func (t *tracer) run(ctx context.Context, s *host.Span) (context.Context, func(e *host.Event)) {
	var links []trace.Link
	if before := remote(tracecontext.Parse(s.Earlier, "")); s.GoesOn && before.IsValid() {
		links = []trace.Link{{SpanContext: before, Attributes: []attribute.KeyValue{attribute.String(attrRun, s.Run)}}}
	}
	common := append(named(attrAgentName, s.Agent), attribute.String(attrOperation, operationInvoke))
	attributes := append(append([]attribute.KeyValue{
		attribute.String(attrRun, s.Run), attribute.Bool(attrResumed, s.GoesOn), attribute.String(attrKind, "AGENT"),
	}, common...), conversation(s)...)
	if t.user {
		attributes = append(attributes, named(attrUser, s.User)...)
	}
	outer, r := runOf(ctx), &run{id: s.Run}
	ctx, span := t.begin(ctx, spanName(operationInvoke, s.Agent), trace.SpanKindInternal, links, attributes...)
	ctx = context.WithValue(ctx, runKey{}, r)
	if span.SpanContext().IsValid() {
		t.runs.Store(s.Run, span.SpanContext())
	}
	t.meters.active.Add(ctx, 1, with(common))
	return ctx, func(e *host.Event) {
		t.runs.Delete(s.Run)
		r.release(e)
		outer.spend(r.usage)
		span.SetAttributes(attribute.String(attrRunStatus, string(e.Status)))
		span.asked(e.Interrupts)
		span.SetAttributes(usageOf(r.usage)...)
		if e.Cost != nil {
			span.SetAttributes(attribute.Float64(attrCost, float64(*e.Cost)/1e9), attribute.String(attrCostCurrency, s.Currency))
		}
		if t.content && e.Status == host.Completed {
			span.SetAttributes(ofRun(e.Messages)...)
		}
		span.fail(e.Error)
		t.meters.active.Add(ctx, -1, with(common))
		t.meters.runs.Add(ctx, 1, with(common, attribute.String(attrRunStatus, string(e.Status))))
		t.meters.invoke.Record(ctx, span.end(), with(common, errorOf(e.Error)...))
	}
}

func spanName(operation, of string) string {
	if of == "" {
		return operation
	}
	return operation + " " + of
}

// conversation names the thread, for the conventions and for Langfuse.
func conversation(s *host.Span) []attribute.KeyValue {
	if s.Thread == "" {
		return nil
	}
	return []attribute.KeyValue{attribute.String(attrConversation, s.Thread), attribute.String(attrSession, s.Thread)}
}

func usageOf(u abi.Usage) []attribute.KeyValue {
	out := []attribute.KeyValue{attribute.Int64(attrInputTokens, signed(u.InputTokens)), attribute.Int64(attrOutputTokens, signed(u.OutputTokens))}
	for _, more := range []struct {
		key   string
		count uint64
	}{{attrCacheRead, u.CacheReadTokens}, {attrCacheCreation, u.CacheCreationTokens}, {attrReasoning, u.ReasoningTokens}} {
		if more.count > 0 {
			out = append(out, attribute.Int64(more.key, signed(more.count)))
		}
	}
	return out
}

// signed returns a foreign count as OpenTelemetry has it.
func signed(count uint64) int64 { return int64(min(count, 1<<62)) }

// held is a span that has ended and waits until its content is as hooks leave it.
type held struct {
	span  *span
	ended time.Time
	// of returns the content, given the messages after the hooks; ok is false if it is not among them.
	of func(messages []abi.Message) (content []attribute.KeyValue, ok bool)
}

func (h *held) release(content []attribute.KeyValue) {
	h.span.SetAttributes(content...)
	h.span.End(trace.WithTimestamp(h.ended))
}

// hold ends a span when its content is known as hooks leave it.
func (r *run) hold(h *held) {
	if r == nil {
		h.release(nil)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held = append(r.held, h)
}

// releaseKnown ends the spans whose content is among the messages of a request: the hooks have seen it by then.
func (r *run) releaseKnown(messages []abi.Message) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	rest := r.held[:0]
	for _, h := range r.held {
		if content, ok := h.of(messages); ok {
			h.release(content)
		} else {
			rest = append(rest, h)
		}
	}
	clear(r.held[len(rest):])
	r.held = rest
}

// release ends the other spans at the end of the run. If it has not completed, hooks that redact may not have run, and the content is left out.
func (r *run) release(e *host.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, h := range r.held {
		var content []attribute.KeyValue
		if e.Status == host.Completed {
			content, _ = h.of(e.Messages)
		}
		h.release(content)
	}
	r.held = nil
}
