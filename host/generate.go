package host

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/agenthost/agenthost/host/model"
)

// Generate calls a model outside the agent's own model step, for example one of [Env.Models]. No hooks run around the call
// and nothing is added to the history; its tokens count as the run's. An error is a [*ModelError] or control flow: a
// cancellation propagates, whatever the hook returns.
func (rt *Runtime) Generate(ctx context.Context, m model.Model, req *model.Request) (*model.Response, error) {
	g := rt.StartGenerate(ctx, m, req)
	g.Perform(rt.Warn)
	return g.Finish()
}

// Generation is a call of a model in three parts, for hooks and tools that make several at once, see [Runtime.StartGenerate].
type Generation struct {
	rt      *Runtime
	ctx     context.Context //nolint:containedctx // a generation is one call in parts; nil: it was refused
	span    span
	model   model.Model
	request *model.Request
	start   time.Time
	end     time.Time
	notices []string
	resp    *model.Response
	err     error
}

// StartGenerate begins what [Runtime.Generate] does. Perform, which may run in another goroutine, calls the model, and Finish returns what Generate
// would. The caller finishes generations one after the other, in the order in which it has started them.
func (rt *Runtime) StartGenerate(ctx context.Context, m model.Model, req *model.Request) *Generation {
	g := &Generation{rt: rt, model: m, request: req, err: rt.closed}
	if g.err == nil {
		g.err = rt.run.affords(ctx, m.Info())
	}
	if g.err == nil {
		g.start = rt.run.clock()
		g.ctx, g.span = rt.run.traceModel(ctx, rt.step, m, req)
	}
	return g
}

// Perform calls the model. It is called once. say gets what the user should know meanwhile, see [model.WithNotice]; if it is nil, that is a warning of the
// run when Finish is called.
func (g *Generation) Perform(say func(text string)) {
	if g.ctx == nil {
		return
	}
	if say == nil {
		say = func(text string) { g.notices = append(g.notices, text) }
	}
	g.resp, g.err = generate(model.WithNotice(g.ctx, say), g.model, g.request)
	g.end = g.rt.run.agent.now()
}

// Finish returns the answer after Perform has returned.
func (g *Generation) Finish() (*model.Response, error) {
	if g.ctx == nil {
		return nil, g.err
	}
	rt, r, name := g.rt, g.rt.run, g.model.Info().Name
	for _, text := range g.notices {
		rt.Warn(text)
	}
	resp, err, cost := g.resp, g.err, model.Cost{}
	if err != nil && g.ctx.Err() != nil {
		r.payCutOff(g.ctx, g.model, g.request, 0)
	}
	if err == nil && (resp == nil || resp.AI() == nil) {
		err = errNoAI
	}
	if err == nil {
		resp = rt.identified(resp)
		cost = r.count(g.ctx, g.model.Info(), resp.Messages)
		err = withoutDeepValues(resp.Messages)
	}
	if err != nil {
		resp, err = nil, modelError(name, err)
	}
	if IsControlFlow(err) {
		rt.closed = err
	}
	if rt.emit.wants(g.span) {
		event := &Event{Type: EventModel, Step: rt.step, Model: name, Duration: g.end.Sub(g.start)}
		if err != nil {
			event.Error = eventError(err)
		} else {
			event.Messages, event.Cost = resp.Messages, r.shownCost(cost)
		}
		g.span.finishModel(event, resp)
		if rt.emit.on() {
			rt.emit.send(event)
		}
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
	ids := &rt.calling().ids
	for i := range out.Messages {
		if out.Messages[i].ID == "" {
			out.Messages[i].ID = ids.New()
		}
	}
	return &out
}
