package host

import (
	"context"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/tracecontext"
)

// Tracer is told when runs and the parts of runs begin and end, for example to record them as spans of OpenTelemetry. Its methods may be
// called from several goroutines at once, and must return soon. Without a tracer an agent spends nothing on it. Package telemetry has one.
type Tracer interface {
	// Start is called when something begins. What happens within it gets the context that Start returns, and so do models, tools and what
	// plugins fetch: a [tracecontext.Context] in it goes out with their requests, and that of a run is kept with its thread. When it has
	// ended, end is called once with the event that reports the end, even if nobody listens to the run's events; the event has no Seq and no
	// Time, and must not be changed. end must not be nil.
	Start(ctx context.Context, s Span) (inside context.Context, end func(e *Event))
}

// SpanKind says what a [Span] covers.
type SpanKind string

// The kinds of spans, with the type of the event that ends them and the fields that they use in addition to Agent, Run and Thread.
const (
	// SpanRun is a run, or a part of it: EventEnd, with the Messages that the run has added, as they are now; Metadata, GoesOn, Earlier.
	SpanRun        SpanKind = "run"
	SpanHook       SpanKind = "hook"       // a call of a hook: EventHook; Step, Call for a hook around a tool call
	SpanModel      SpanKind = "model"      // a model call: EventModel; Step, Model, Server, Request
	SpanTool       SpanKind = "tool"       // a tool call with the hooks around it: EventTool; Step, Call, Tool
	SpanCheckpoint SpanKind = "checkpoint" // saving the thread: EventCheckpoint, with an Error if it failed
)

// Span is what a [Tracer] is told when something begins.
type Span struct {
	Kind     SpanKind
	Agent    string
	Run      string
	Thread   string
	Step     string // see Event.Step
	Call     *abi.ToolCall
	Tool     Tool // nil: the agent does not have it
	Model    model.Info
	Server   string         // the address of the model's server, without a password or a query; "": unknown
	Request  *model.Request // must not be changed
	Metadata wire.Map       // see Input.Metadata
	User     string         // of a run: see Input.User
	GoesOn   bool           // the run was there before: the input answers or continues it
	Currency string         // of the costs in the event that ends it; "": costs are unknown
	Earlier  string         // of a run that goes on: the [tracecontext.Context.Parent] of the part before; "": it had no tracer
}

// TracedTool is a tool that tells a [Tracer] more about its calls.
type TracedTool interface {
	Tool
	// TraceAttributes returns attributes of a call that has ended, by the names that OpenTelemetry has for them.
	TraceAttributes() map[string]string
}

// span is a span that has begun. The zero span has no tracer and costs nothing.
type span struct {
	end    func(e *Event)
	policy func(e Event) Event // see Hooks.TracePolicy
}

// trace begins a span.
func (r *run) trace(ctx context.Context, s Span) (context.Context, span) {
	tracer := r.agent.config.Tracer
	if tracer == nil {
		return ctx, span{}
	}
	s.Agent, s.Run, s.Thread = r.agent.config.Name, r.id, r.thread.id
	if prices := r.agent.config.Prices; prices != nil {
		s.Currency = prices.Currency
	}
	ctx, end := tracer.Start(ctx, s)
	return ctx, span{end: end}
}

// traceHook begins the span of a hook. It is a function of its own because a [Span] takes much of the stack, where each layer of a
// call would keep one.
//
//go:noinline
func (r *run) traceHook(ctx context.Context, step string, call *abi.ToolCall) (context.Context, span) {
	if r.agent.config.Tracer == nil { // a Span takes time to fill, too
		return ctx, span{}
	}
	return r.trace(ctx, Span{Kind: SpanHook, Step: step, Call: call})
}

// traceSave begins the span of a save.
func (r *run) traceSave(ctx context.Context, step string) (context.Context, span) {
	if r.agent.config.Tracer == nil {
		return ctx, span{}
	}
	return r.trace(ctx, Span{Kind: SpanCheckpoint, Step: step})
}

// traceModel begins the span of a model call.
func (r *run) traceModel(ctx context.Context, step string, m model.Model, req *model.Request) (context.Context, span) {
	if r.agent.config.Tracer == nil {
		return ctx, span{}
	}
	s := Span{Kind: SpanModel, Step: step, Model: m.Info(), Request: req}
	if accountant, ok := model.As[model.Accountant](m); ok {
		// A model with an invalid configuration fails the call, which says why.
		if account, err := accountant.Account(); err == nil {
			s.Server = account.BaseURL
		}
	}
	return r.trace(ctx, s)
}

// traceRun begins the span of the run, which checkpoints name from then on.
func (r *run) traceRun(ctx context.Context) (context.Context, span) {
	ctx, s := r.trace(ctx, Span{Kind: SpanRun, Metadata: r.input.Metadata, User: r.input.User, GoesOn: r.input.goesOn(), Earlier: r.traced})
	if s.on() {
		r.traced = tracecontext.From(ctx).Parent
	}
	return ctx, s
}

// finishRun ends the span of the run, and sends the event of its end.
func (r *run) finishRun(s span, end *Event, before int) {
	if s.on() {
		told, now := *end, r.state.log.List()
		told.Messages = now.Slice(min(before, now.Len()), now.Len()).Messages()
		s.finish(&told)
	}
	if events := r.events(); events.on() {
		events.send(end)
	}
}

// finishModel ends the span of a model call. resp is nil after an error.
func (s span) finishModel(e *Event, resp *model.Response) {
	if s.on() {
		told := *e
		told.Response = resp
		s.finish(&told)
	}
}

// under returns the span of a hook whose middleware has a policy.
func (s span) under(policy func(e Event) Event) span {
	s.policy = policy
	return s
}

// on reports whether a tracer waits for the end.
func (s span) on() bool { return s.end != nil }

// finish ends the span with the event that reports the end.
func (s span) finish(e *Event) {
	if s.end == nil {
		return
	}
	if s.policy != nil {
		shown := s.policy(*e)
		e = &shown
	}
	s.end(e)
}

// wants reports whether anybody wants the event that ends a span. Ask before you build it.
func (e emitter) wants(s span) bool { return e.on() || s.on() }

// finish ends a span, and sends the event that reports the end.
func (e emitter) finish(s span, event *Event) {
	s.finish(event)
	if e.on() {
		e.send(event)
	}
}
