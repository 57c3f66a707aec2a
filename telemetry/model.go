//go:build !no_otel

package telemetry

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strconv"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
)

// model begins the span of a model call.
func (t *tracer) model(ctx context.Context, s *host.Span) (context.Context, func(e *host.Event)) {
	r := runOf(ctx)
	common := []attribute.KeyValue{
		attribute.String(attrOperation, operationChat), attribute.String(attrProvider, cmp.Or(providers[s.Model.Provider], s.Model.Provider, "unknown")),
		attribute.String(attrRequestModel, s.Model.Name),
	}
	attributes := append(append([]attribute.KeyValue{attribute.String(attrKind, "LLM"), attribute.String(attrRun, s.Run)}, common...), conversation(s)...)
	ctx, span := t.begin(ctx, spanName(operationChat, s.Model.Name), trace.SpanKindClient, nil, attributes...)
	if span.IsRecording() {
		span.SetAttributes(serverOf(s.Server)...)
		span.SetAttributes(parameters(s.Request.Settings)...)
	}
	if t.content {
		messages := s.Request.Messages.Messages()
		r.releaseKnown(messages)
		if span.IsRecording() {
			span.SetAttributes(ofRequest(s.Request, messages)...)
		}
	}
	return ctx, func(e *host.Event) {
		span.fail(e.Error)
		measured := common
		var usage abi.Usage
		if answer := e.Response; answer != nil {
			if answer.Model != "" {
				model := attribute.String(attrResponseModel, answer.Model)
				span.SetAttributes(model)
				measured = append(slices.Clip(measured), model)
			}
			if answer.StopReason != "" {
				span.SetAttributes(attribute.StringSlice(attrFinishReasons, []string{answer.StopReason}))
			}
			for i := range answer.Messages {
				if spent := answer.Messages[i].Usage; spent != nil {
					usage = usage.Add(*spent)
				}
			}
			span.SetAttributes(usageOf(usage)...)
			r.spend(usage)
		}
		if e.Cost != nil {
			cost := float64(*e.Cost) / 1e9
			span.SetAttributes(attribute.Float64(attrCost, cost), attribute.String(attrCostCurrency, s.Currency))
			t.meters.cost.Add(ctx, cost, with(
				named(attrAgentName, s.Agent), attribute.String(attrRequestModel, s.Model.Name), attribute.String(attrCostCurrency, s.Currency),
			))
		}
		for _, tokens := range []struct {
			kind  string
			count uint64
		}{{"input", usage.InputTokens}, {"output", usage.OutputTokens}} {
			if tokens.count > 0 {
				t.meters.tokens.Record(ctx, signed(tokens.count), with(measured, attribute.String(attrTokenType, tokens.kind)))
			}
		}
		if e.FirstToken > 0 {
			span.SetAttributes(attribute.Float64(attrFirstChunk, e.FirstToken.Seconds()))
			t.meters.firstChunk.Record(ctx, e.FirstToken.Seconds(), with(measured))
		}
		now := t.now()
		t.meters.operation.Record(ctx, now.Sub(span.begun).Seconds(), with(measured, errorOf(e.Error)...))
		if !t.content || e.Response == nil || !span.IsRecording() {
			span.End(trace.WithTimestamp(now))
			return
		}
		ids := map[string]bool{}
		for i := range e.Response.Messages {
			ids[e.Response.Messages[i].ID] = true
		}
		r.hold(&held{span: span, ended: now, of: func(messages []abi.Message) ([]attribute.KeyValue, bool) { return ofAnswer(messages, ids) }})
	}
}

// serverOf returns the host and port of a server's address.
func serverOf(address string) []attribute.KeyValue {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return nil
	}
	out := []attribute.KeyValue{attribute.String(attrServer, u.Hostname())}
	port := cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
	if number, err := strconv.Atoi(port); err == nil {
		out = append(out, attribute.Int(attrPort, number))
	}
	return out
}

// parameters returns what the request sets for the model, where providers agree on the names.
func parameters(settings wire.Map) (out []attribute.KeyValue) {
	for _, name := range []struct{ ours, theirs string }{
		{"temperature", attrTemperature}, {"top_p", attrTopP}, {"top_k", attrTopK},
	} {
		if value, ok := number(settings.Get(name.ours)); ok {
			out = append(out, attribute.Float64(name.theirs, value))
		}
	}
	for _, name := range []struct{ ours, theirs string }{
		{"max_tokens", attrMaxTokens}, {"max_completion_tokens", attrMaxTokens}, {"max_output_tokens", attrMaxTokens}, {"seed", attrSeed},
	} {
		if value, ok := number(settings.Get(name.ours)); ok {
			out = append(out, attribute.Int64(name.theirs, int64(value)))
		}
	}
	return out
}
