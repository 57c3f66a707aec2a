package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
)

// modelWrap is a wrap_model_call hook in its agent.
type modelWrap struct {
	name  string
	hook  WrapModelHook
	calls *atomic.Uint64
}

func appendModelWrap(wraps []modelWrap, m *boundMiddleware) []modelWrap {
	if m.hooks.WrapModelCall.Func == nil {
		return wraps
	}
	name := m.name + "." + string(abi.WrapModelCall)
	return append(wraps, modelWrap{name, m.hooks.WrapModelCall, new(atomic.Uint64)})
}

// modelStep calls the model through its wraps and applies the response, then the wraps' updates, inner ones first.
func (r *run) modelStep(ctx context.Context, s *step) error {
	a := r.agent
	if r.budget.refusesModelStep() {
		return r.endAtLoopLimit()
	}
	if err := a.modelNeeds.acquire(ctx); err != nil {
		return err
	}
	defer a.modelNeeds.release()
	c := modelCall{run: r, streams: r.sink != nil && a.streamsTokens()}
	req := &model.Request{
		Messages: r.state.Messages(), Model: a.config.Model, System: a.system, Tools: a.tools.specs, Response: a.respond.asks(),
	}
	if r.budget.lastWord() {
		req.Tools = nil
	}
	resp, updates, err := c.layer(ctx, 0, req)
	if err != nil {
		return r.interruptOr(s.name, nil, err)
	}
	for i := range updates {
		if updates[i].JumpTo != "" {
			return &JumpError{updates[i].step, updates[i].JumpTo, "from a wrap hook; only node hooks may jump"}
		}
	}
	named := *resp // by the wraps, too
	named.Messages = allNamed(resp.Messages, r.ids.New)
	if resp, err = a.respond.read(&named, nil); err != nil { // a wrap may have made it
		return err
	}
	answer := &Update{Messages: resp.Messages}
	if err := r.setStructured(answer, resp.Structured); err != nil {
		return err
	}
	all := append([]sourcedUpdate{{answer, ModelStep}}, updates...)
	malformed, failure := r.budget.answerMalformed(resp, all, a.config.Model.Info().Name)
	if malformed != nil {
		all = slices.Insert(all, 1, sourcedUpdate{malformed, ModelStep})
	}
	limited, exceeded := r.budget.limitResponse(resp, all, a.program)
	if limited != nil {
		all = slices.Insert(all, 1, sourcedUpdate{limited, ModelStep})
	}
	if err := r.commit(s.name, all); err != nil {
		return err
	}
	r.questions.clear() // whatever its wraps asked before: it is done
	unusable := r.unusable(resp)
	r.budget.countModelStep(malformed == nil && !unusable)
	if unusable && failure == nil && r.budget.unusable > a.toolCalls.MaxMalformed {
		failure = &ModelError{Model: a.config.Model.Info().Name, Err: missingValue(resp)}
	}
	return errors.Join(failure, exceeded)
}

// streamsTokens reports whether every wrap lets tokens pass, or edits them.
func (a *build) streamsTokens() bool {
	return !slices.ContainsFunc(a.modelWraps, func(w modelWrap) bool { return !w.hook.PassesTokens && w.hook.StreamFilter == nil })
}

// modelCall is one model step on its way through the wraps.
type modelCall struct {
	run     *run
	streams bool
	calls   int   // of the model
	entries []int // how often each layer was entered
}

// layer calls the wrap at index i, or the model behind the last one. It returns the response and the updates of this
// layer and those inside it, the inner ones first.
func (c *modelCall) layer(ctx context.Context, i int, req *model.Request) (*model.Response, []sourcedUpdate, error) {
	if i == len(c.run.agent.modelWraps) {
		resp, err := c.generate(ctx, req)
		return resp, nil, err
	}
	w := &c.run.agent.modelWraps[i]
	if c.entries == nil {
		c.entries = make([]int, len(c.run.agent.modelWraps))
	}
	c.entries[i]++
	seed := c.run.callSeed(0, i)
	if c.entries[i] > 1 { // by a hook around it that calls next again: it makes other calls
		seed = placeSeed(seed, c.entries[i], i)
	}
	rt := &Runtime{
		run: c.run, state: c.run.state, step: w.name, n: w.calls.Add(1), seed: seed,
		answers: c.run.questions.answersTo(w.name, "", ""), emit: c.run.events(),
	}
	inner := frame[*model.Response]{rt: rt}
	next := func(inside context.Context, req *model.Request) (*model.Response, error) {
		return inner.next(ctx, func() (*model.Response, []sourcedUpdate, error) { return c.layer(inside, i+1, req) })
	}
	start := c.run.clock()
	resp, update, err := callWrapModel(ctx, w.hook.Func, rt, req, next)
	if err == nil && (resp == nil || len(resp.Messages) == 0) {
		err = errors.New("returned no response")
	}
	if err == nil && resp.AI() == nil {
		err = errNoAI
	}
	err = inner.settle(err)
	if err != nil {
		c.run.reportHook(rt, nil, start, nil, nil, err)
		return nil, nil, err
	}
	resp = c.run.identified(resp)
	c.run.reportHook(rt, nil, start, resp.Messages, update, nil)
	return resp, inner.withUpdate(update), nil
}

func callWrapModel(
	ctx context.Context, fn WrapModelFunc, rt *Runtime, req *model.Request, next ModelHandler,
) (resp *model.Response, update *Update, err error) {
	defer recovered(&err)
	return fn(ctx, rt, req, next)
}

// generate calls the model itself.
func (c *modelCall) generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	r := c.run
	if r.budget.lastWord() { // also of tools that a wrap offers
		req = req.WithTools(nil)
	}
	if err := r.agent.checkOffered(req.Tools); err != nil {
		return nil, err
	}
	m := req.Model
	if m == nil {
		m = r.agent.config.Model
	}
	req, err := r.agent.respond.bind(req, m)
	if err != nil {
		return nil, err
	}
	if len(req.Tools) == 0 && req.ToolChoice != "" { // there is nothing to choose from
		req = req.WithToolChoice("")
	}
	name := m.Info().Name
	c.calls++
	start := r.clock()
	resp, err := c.call(ctx, m, req)
	if err == nil && (resp == nil || resp.AI() == nil) {
		err = errNoAI
	}
	if err != nil {
		err = modelError(name, err)
	} else {
		resp, err = r.agent.respond.read(r.named(resp), req.Format)
	}
	if err == nil {
		resp = r.identified(resp)
	}
	if events := r.events(); events.on() {
		event := &Event{Type: EventModel, Step: ModelStep, Model: name, Duration: r.agent.now().Sub(start)}
		if err != nil {
			event.Error = eventError(err)
		} else {
			event.Messages = resp.Messages
		}
		events.send(event)
	}
	return resp, err
}

func (c *modelCall) call(ctx context.Context, m model.Model, req *model.Request) (resp *model.Response, err error) {
	defer recovered(&err)
	if streamer, ok := m.(model.Streamer); ok && c.streams {
		return c.stream(ctx, streamer, req)
	}
	return m.Generate(ctx, req)
}

// stream calls the model, and passes on what it says meanwhile.
func (c *modelCall) stream(ctx context.Context, streamer model.Streamer, req *model.Request) (resp *model.Response, err error) {
	tokens := c.tokens()
	for chunk, err := range streamer.Stream(ctx, req) {
		if err != nil {
			return nil, err
		}
		tokens.pass(&chunk)
		if chunk.Response != nil {
			resp = chunk.Response
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	tokens.end()
	return resp, nil
}

// modelError wraps an error of a model, unless it is control flow.
func modelError(name string, err error) error {
	if IsControlFlow(err) || as[*ModelError](err) {
		return err
	}
	if said, ok := errors.AsType[*model.Error](err); ok {
		return &ModelError{
			Model: name, Provider: said.Provider, Kind: said.Kind, Status: said.Status, Retryable: said.Retryable,
			RetryAfter: said.RetryAfter, Err: err,
		}
	}
	var retryable interface{ Retryable() bool }
	return &ModelError{Model: name, Retryable: errors.As(err, &retryable) && retryable.Retryable(), Err: err}
}

// named returns a copy of a model's response in which its messages have a role, the agent's name and an id, and counts
// its tokens. What the model returned is not changed: it may return it again.
func (r *run) named(resp *model.Response) *model.Response {
	out := *resp
	out.Messages = slices.Clone(resp.Messages)
	for i := range out.Messages {
		m := &out.Messages[i]
		if m.Role == abi.RoleAI && r.agent.config.Name != "" {
			m.Name = r.agent.config.Name
		}
	}
	r.budget.usage.add(out.Messages)
	r.identify(out.Messages)
	out.Messages = allNamed(out.Messages, r.ids.New)
	return &out
}

// identified returns a response whose messages all have ids, so that outer layers and events can name them: a copy if
// one is missing, since a wrap may return one response again and again.
func (r *run) identified(resp *model.Response) *model.Response {
	if !slices.ContainsFunc(resp.Messages, func(m abi.Message) bool { return m.ID == "" }) {
		return resp
	}
	out := *resp
	out.Messages = slices.Clone(resp.Messages)
	r.identify(out.Messages)
	return &out
}

// identify gives ids to messages that have none.
func (r *run) identify(messages []abi.Message) {
	for i := range messages {
		if messages[i].ID == "" {
			messages[i].ID = r.ids.Ahead()
		}
	}
}

// checkOffered refuses tools that a wrap offered to the model and nobody can run. Where wrap_tool_call hooks exist, one
// of them may bring the tool.
func (a *build) checkOffered(specs []abi.ToolSpec) error {
	if a.wrapsCalls() {
		return nil
	}
	var unknown []string
	for i := range specs {
		if a.tools.byName[specs[i].Name] == nil {
			unknown = append(unknown, specs[i].Name)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	return &ConfigError{"model request", fmt.Errorf(
		"a middleware offers tools that the agent does not know how to run. Unknown tools: [%s]. Registered tools: [%s]. "+
			"Add them to Tools, or run them in a wrap_tool_call hook",
		strings.Join(unknown, ", "), strings.Join(a.tools.names(), ", "))}
}
