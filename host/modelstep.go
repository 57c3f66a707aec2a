package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/model"
)

// modelWrap is a wrap_model_call hook in its agent.
type modelWrap struct {
	wrap[*model.Request, *model.Response, ModelHandler]

	hook WrapModelHook
}

func appendModelWrap(wraps []modelWrap, m *boundMiddleware) []modelWrap {
	hook := m.hooks.WrapModelCall
	if hook.Func == nil {
		return wraps
	}
	w := modelWrap{hook: hook}
	w.name, w.policy, w.fn, w.calls = m.name+"."+string(abi.WrapModelCall), m.hooks.TracePolicy, hook.Func, new(atomic.Uint64)
	return append(wraps, w)
}

// modelStep calls the model through its wrap hooks and applies the response, then the hooks' updates, inner ones first.
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
		Messages: r.state.Messages(), Model: r.model, System: a.system, Tools: a.tools.specs, Response: a.respond.asks(),
	}
	if r.budget.lastWord() {
		req.Tools = nil
	}
	r.tellRequest(req)
	resp, updates, err := enter(ctx, &c, 0, req)
	if err != nil {
		return r.interruptOr(s.name, nil, err)
	}
	for i := range updates {
		if updates[i].JumpTo != "" {
			return &JumpError{updates[i].step, updates[i].JumpTo, "from a wrap hook; only node hooks may jump"}
		}
	}
	named := *resp // wrap hooks may have added calls without ids
	named.Messages = withCallIDs(resp.Messages, r.ids.New)
	if resp, err = a.respond.read(&named, nil); err != nil { // a wrap may have made it
		return err
	}
	answer := &Update{Messages: resp.Messages}
	if err := a.respond.setStructured(answer, r.state, resp.Structured); err != nil {
		return err
	}
	all := append([]sourcedUpdate{{answer, ModelStep}}, updates...)
	malformed, failure := r.budget.answerMalformed(resp, all, r.model.Info().Name)
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
	unusable := a.respond.unusable(resp, a.program.mustRespond)
	r.budget.countModelStep(malformed == nil && !unusable)
	if unusable && failure == nil && r.budget.unusable > a.toolCalls.MaxMalformed {
		failure = &ModelError{Model: r.model.Info().Name, Err: missingValue(resp)}
	}
	return errors.Join(failure, exceeded)
}

// streamsTokens reports whether every wrap hook lets tokens pass or filters them.
func (a *build) streamsTokens() bool {
	return !slices.ContainsFunc(a.modelWraps, func(w modelWrap) bool { return !w.hook.PassesTokens && w.hook.StreamFilter == nil })
}

// modelCall is one model step on its way through the wrap hooks.
type modelCall struct {
	run     *run
	streams bool
	calls   int // of the model
	entries entries
	// reserved is the id of the next answer. It is made before the model is called, so that tokens can name the message that they
	// belong to.
	reserved string
	cost     model.Cost
	first    time.Time // when the first token of the present call came; zero: none has
	came     int       // bytes of its answer
}

var _ wrappedCall[*model.Request, *model.Response, ModelHandler] = (*modelCall)(nil)

func (c *modelCall) from(i int) (*wrap[*model.Request, *model.Response, ModelHandler], int) {
	wraps := c.run.agent.modelWraps
	if i == len(wraps) {
		return nil, i
	}
	return &wraps[i].wrap, i
}

func (c *modelCall) runtimeOf(i int, w *wrap[*model.Request, *model.Response, ModelHandler]) *Runtime {
	seed := c.run.callSeed(0, i)
	if entry := c.entries.add(i, len(c.run.agent.modelWraps)); entry > 1 {
		seed = placeSeed(seed, entry, i)
	}
	return &Runtime{
		run: c.run, state: c.run.state, step: w.name, n: w.calls.Add(1), seed: seed,
		answers: c.run.questions.answersTo(w.name, "", ""), emit: c.run.events(),
	}
}

func (c *modelCall) innermost(ctx context.Context, req *model.Request) (*model.Response, []sourcedUpdate, error) {
	resp, err := c.generate(ctx, req)
	return resp, nil, err
}

func (*modelCall) check(resp *model.Response) error {
	if resp == nil || len(resp.Messages) == 0 {
		return errors.New("returned no response")
	}
	if resp.AI() == nil {
		return errNoAI
	}
	return nil
}

func (c *modelCall) complete(resp *model.Response) *model.Response { return c.run.ids.identified(resp) }

func (*modelCall) toolCall() *abi.ToolCall { return nil }

func (*modelCall) messages(resp *model.Response) []abi.Message { return resp.Messages }

// generate calls the model itself.
func (c *modelCall) generate(ctx context.Context, req *model.Request) (*model.Response, error) {
	r := c.run
	if r.budget.lastWord() { // without the tools that wrap hooks offer, too
		req = req.WithTools(nil)
	}
	if err := r.agent.checkOffered(req.Tools); err != nil {
		return nil, err
	}
	m := req.Model
	if m == nil {
		m = r.model
	}
	if err := r.agent.checkToolsOf(m, req.Tools); err != nil { // a middleware may have chosen a model that New has not seen
		return nil, err
	}
	req, err := r.agent.respond.bind(req, m)
	if err != nil {
		return nil, err
	}
	if len(req.Tools) == 0 && req.ToolChoice != "" { // there is nothing to choose from
		req = req.WithToolChoice("")
	}
	if err := r.affords(ctx, m.Info()); err != nil {
		return nil, err
	}
	name := m.Info().Name
	c.calls++
	c.reserved, c.first, c.came, c.cost = r.ids.Ahead(), time.Time{}, 0, model.Cost{}
	start := r.clock()
	ctx, span := r.traceModel(ctx, ModelStep, m, req)
	resp, err := c.call(ctx, m, req)
	if err != nil && (ctx.Err() != nil || c.came > 0) {
		r.payCutOff(ctx, m, req, c.came)
	}
	if err == nil && (resp == nil || resp.AI() == nil) {
		err = errNoAI
	}
	if err == nil {
		resp = c.named(ctx, m.Info(), resp)
		err = withoutDeepValues(resp.Messages)
	}
	if err != nil {
		err = modelError(name, err)
	} else {
		resp, err = r.agent.respond.read(resp, req.Format)
	}
	if err == nil {
		resp = r.ids.identified(resp)
		err = r.judge(m.Info(), resp)
	}
	if events := r.events(); events.wants(span) {
		event := &Event{Type: EventModel, Step: ModelStep, Model: name, Duration: r.agent.now().Sub(start), FirstToken: c.firstToken(start)}
		if err != nil {
			event.Error = eventError(err)
		} else {
			event.Messages, event.Cost = resp.Messages, r.shownCost(c.cost)
		}
		span.finishModel(event, resp)
		if events.on() {
			events.send(event)
		}
	}
	return resp, err
}

// judge warns about an answer that is not complete. Such an answer is an error if it says nothing.
func (r *run) judge(by model.Info, resp *model.Response) error {
	ending := model.EndingOf(resp.StopReason)
	if ending == model.Complete {
		return nil
	}
	text := fmt.Sprintf("the answer of the model %q is not complete (stop reason %q): %s", by.Name, clean(resp.StopReason), ending.Explain())
	if !model.Says(resp.AI()) {
		kind := model.ErrorCutOff
		if ending == model.Filtered || ending == model.Declined {
			kind = model.ErrorContentFilter
		}
		err := &model.Error{Provider: cmp.Or(by.Provider, by.Name), Kind: kind, Err: errors.New("the answer is empty; " + text)}
		return modelError(by.Name, err)
	}
	r.warn(ModelStep, text)
	return nil
}

func (c *modelCall) call(ctx context.Context, m model.Model, req *model.Request) (resp *model.Response, err error) {
	defer catchPanic(&err)
	if noticer, ok := model.As[model.Noticer](m); ok && noticer.Notices() {
		ctx = model.WithNotice(ctx, func(text string) { c.run.warn(ModelStep, text) })
	}
	if streamer, ok := m.(model.Streamer); ok && c.streams {
		return c.stream(ctx, streamer, req)
	}
	return m.Generate(ctx, req)
}

// stream calls the model and passes its tokens on.
func (c *modelCall) stream(ctx context.Context, streamer model.Streamer, req *model.Request) (resp *model.Response, err error) {
	tokens := c.tokenStream()
	for chunk, err := range streamer.Stream(ctx, req) {
		if err != nil {
			return nil, err
		}
		if c.first.IsZero() {
			c.first = c.run.agent.now()
		}
		c.came += len(chunk.Text) + len(chunk.Reasoning)
		for i := range chunk.Calls {
			c.came += len(chunk.Calls[i].Args)
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

// firstToken returns how long the model took for its first token; 0 if none came.
func (c *modelCall) firstToken(start time.Time) time.Duration {
	if c.first.IsZero() {
		return 0
	}
	return c.first.Sub(start)
}

// modelError wraps an error of a model in a [*ModelError], unless it is control flow.
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

// named returns a copy of a model's response in which messages have the agent's name and an id, and counts its tokens. What the
// model returned is not changed, since the model may return it again.
func (c *modelCall) named(ctx context.Context, by model.Info, resp *model.Response) *model.Response {
	r, out := c.run, *resp
	out.Messages = slices.Clone(resp.Messages)
	for i := range out.Messages {
		if m := &out.Messages[i]; m.Role == abi.RoleAI && r.agent.config.Name != "" {
			m.Name = r.agent.config.Name
		}
	}
	c.cost = r.count(ctx, by, out.Messages)
	if ai := out.AI(); ai.ID == "" {
		ai.ID = c.reserved
	}
	r.ids.identify(out.Messages)
	out.Messages = withCallIDs(out.Messages, r.ids.New)
	return &out
}

// checkOffered refuses tools that a wrap hook offers to the model and nobody can run. If there are wrap_tool_call hooks, one of
// them may run the tool.
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
	return &ConfigError{ConfigSubject{Kind: SubjectRequest}, fmt.Errorf(
		"a middleware offers tools that the agent does not know how to run. Unknown tools: [%s]. Registered tools: [%s]. "+
			"Add them to Tools, or run them in a wrap_tool_call hook",
		strings.Join(unknown, ", "), strings.Join(a.tools.names(), ", "))}
}
