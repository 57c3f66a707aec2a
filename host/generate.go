package host

import (
	"context"
	"errors"
	"slices"

	"github.com/agenthost/agenthost/host/model"
)

// Generate calls a model outside the agent's own model step, for example one of [Env.Models]. No hooks run around the call
// and nothing is added to the history; its tokens count as the run's. An error is a [*ModelError] or control flow: a
// cancellation propagates, whatever the hook returns.
func (rt *Runtime) Generate(ctx context.Context, m model.Model, req *model.Request) (*model.Response, error) {
	if rt.closed != nil {
		return nil, rt.closed
	}
	r, name := rt.run, m.Info().Name
	start := r.clock()
	ctx, span := r.trace(ctx, Span{Kind: SpanModel, Step: rt.step, Model: m.Info(), Request: req})
	resp, err := generate(model.WithNotice(ctx, rt.Warn), m, req)
	if err == nil && (resp == nil || resp.AI() == nil) {
		err = errNoAI
	}
	if err == nil {
		resp = rt.identified(resp)
		r.budget.usage.add(resp.Messages)
		err = withoutDeepValues(resp.Messages)
	}
	if err != nil {
		resp, err = nil, modelError(name, err)
	}
	if IsControlFlow(err) {
		rt.closed = err
	}
	if rt.emit.wants(span) {
		event := &Event{Type: EventModel, Step: rt.step, Model: name, Duration: r.agent.now().Sub(start)}
		if err != nil {
			event.Error = eventError(err)
		} else {
			event.Messages = resp.Messages
		}
		rt.emit.finish(span, event)
	}
	return resp, err
}

var errNoAI = errors.New("the response has no AI message")

func generate(ctx context.Context, m model.Model, req *model.Request) (resp *model.Response, err error) {
	defer catchPanic(&err)
	return m.Generate(ctx, req)
}

// identified returns a copy of a response whose messages all have ids. They come from the call's own source, since tools that
// run at once must not share that of the run.
func (rt *Runtime) identified(resp *model.Response) *model.Response {
	out := *resp
	out.Messages = slices.Clone(resp.Messages)
	rt.ids.seed = rt.seed
	for i := range out.Messages {
		if out.Messages[i].ID == "" {
			out.Messages[i].ID = rt.ids.New()
		}
	}
	return &out
}
