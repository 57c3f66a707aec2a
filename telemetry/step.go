//go:build !no_otel

package telemetry

import (
	"context"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
)

// tool begins the span of a tool call. For a tool of an MCP server it is the span that the conventions for MCP want, so there is no other.
func (t *tracer) tool(ctx context.Context, s *host.Span) (context.Context, func(e *host.Event)) {
	common := []attribute.KeyValue{
		attribute.String(attrOperation, operationTool), attribute.String(attrToolName, s.Call.Name), attribute.String(attrToolType, "function"),
	}
	attributes := append([]attribute.KeyValue{
		attribute.String(attrKind, "TOOL"), attribute.String(attrToolCallID, s.Call.ID), attribute.String(attrRun, s.Run), attribute.String(attrStep, s.Step),
	}, common...)
	traced, foreign := s.Tool.(host.TracedTool)
	kind := trace.SpanKindInternal
	if foreign {
		kind = trace.SpanKindClient
	}
	r := runOf(ctx)
	ctx, span := t.begin(ctx, spanName(operationTool, s.Call.Name), kind, nil, attributes...)
	return ctx, func(e *host.Event) {
		if foreign && span.IsRecording() {
			for key, value := range traced.TraceAttributes() {
				span.SetAttributes(attribute.String(key, value))
			}
		}
		span.asked(e.Interrupts)
		failure := e.Error
		if failure == nil && len(e.Messages) > 0 && e.Messages[0].Failed() {
			failure = &host.EventError{Type: "tool_error"}
		}
		span.fail(failure)
		now := t.now()
		t.meters.tool.Record(ctx, now.Sub(span.begun).Seconds(), with(common, errorOf(failure)...))
		if !t.content || !span.IsRecording() || len(e.Messages) == 0 {
			span.End(trace.WithTimestamp(now))
			return
		}
		call := e.Call
		r.hold(&held{span: span, ended: now, of: func(messages []abi.Message) ([]attribute.KeyValue, bool) { return ofCall(messages, call) }})
	}
}

// hook begins the span of a hook.
func (t *tracer) hook(ctx context.Context, s *host.Span) (context.Context, func(e *host.Event)) {
	middleware, hook := s.Step, ""
	if at := strings.LastIndexByte(s.Step, '.'); at >= 0 {
		middleware, hook = s.Step[:at], s.Step[at+1:]
	}
	common := []attribute.KeyValue{attribute.String(attrMiddleware, middleware), attribute.String(attrHook, hook)}
	attributes := append([]attribute.KeyValue{attribute.String(attrKind, "CHAIN"), attribute.String(attrRun, s.Run)}, common...)
	ctx, span := t.begin(ctx, s.Step, trace.SpanKindInternal, nil, attributes...)
	return ctx, func(e *host.Event) {
		if e.Update != nil && e.Update.JumpTo != "" {
			span.SetAttributes(attribute.String(attrJump, string(e.Update.JumpTo)))
		}
		span.asked(e.Interrupts)
		if e.Digest != "" {
			span.SetAttributes(attribute.String(attrDigest, e.Digest), attribute.Int64(attrFuel, signed(e.Fuel)),
				attribute.Int64(attrInstance, signed(e.Instance)),
				attribute.Int64(attrMemory, e.Memory), attribute.Int(attrHostCalls, e.HostCalls))
			t.meters.fuel.Record(ctx, signed(e.Fuel), with(common))
		}
		span.fail(e.Error)
		failure := e.Error
		if e.Fault != "" { // the run goes on, but the call has failed
			failure = &host.EventError{Type: e.Fault}
			span.fail(failure)
		}
		if failure != nil && strings.HasPrefix(failure.Type, "plugin_") {
			t.meters.faults.Add(ctx, 1, with(common, errorOf(failure)...))
		}
		t.meters.hook.Record(ctx, span.end(), with(common, errorOf(failure)...))
	}
}

// checkpoint begins the span of saving a thread.
func (t *tracer) checkpoint(ctx context.Context, s *host.Span) (context.Context, func(e *host.Event)) {
	attributes := append(append(named(attrStep, s.Step), attribute.String(attrKind, "CHAIN"), attribute.String(attrRun, s.Run)), conversation(s)...)
	ctx, span := t.begin(ctx, "checkpoint save", trace.SpanKindInternal, nil, attributes...)
	return ctx, func(e *host.Event) {
		span.SetAttributes(attribute.Int64(attrCheckpoint, int64(e.Checkpoint)), attribute.String(attrSource, string(e.Source)))
		span.fail(e.Error)
		if e.Written > 0 {
			t.meters.written.Record(ctx, int64(e.Written))
		}
		t.meters.save.Record(ctx, span.end(), with(nil, errorOf(e.Error)...))
	}
}
