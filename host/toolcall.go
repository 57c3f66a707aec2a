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
	"github.com/agenthost/agenthost/abi/wire"
)

// toolWrap is a wrap_tool_call hook in its agent.
type toolWrap struct {
	wrap[*ToolRequest, *abi.Message, ToolHandler]

	hook    WrapToolHook
	dynamic bool // its middleware has dynamic tools, which take an instance too
}

func appendToolWrap(wraps []toolWrap, m *boundMiddleware) []toolWrap {
	hook := m.hooks.WrapToolCall
	if hook.Func == nil {
		return wraps
	}
	w := toolWrap{hook: hook, dynamic: slices.ContainsFunc(m.hooks.Tools, func(t Tool) bool { return t.Spec().Dynamic })}
	w.name, w.policy, w.fn, w.calls = m.name+"."+string(abi.WrapToolCall), m.hooks.TracePolicy, hook.Func, new(atomic.Uint64)
	return append(wraps, w)
}

// wraps reports whether the hook wraps a call of this name; unseen means that no after_model hook has seen it in this form.
func (w *toolWrap) wraps(name string, unseen bool) bool {
	return (unseen || !w.hook.Nested) && (len(w.hook.Tools) == 0 || slices.Contains(w.hook.Tools, name))
}

// wrapsCalls reports whether a hook wraps calls of the model, and so may run tools that the agent does not have.
func (a *build) wrapsCalls() bool {
	return slices.ContainsFunc(a.toolWraps, func(w toolWrap) bool { return !w.hook.Nested })
}

// toolCall is one tool call on its way through the wrap hooks.
type toolCall struct {
	run     *run
	index   int           // place of the call in its message
	message string        // id of that message; "" for a call by a hook or tool, whose own id says it all
	id      string        // of the call in the journal
	call    *abi.ToolCall // the call that is performed
	asked   *abi.ToolCall // the call that was asked for, if a revision changed it
	events  emitter
	by      *Runtime // the hook or tool that makes the call; nil: the model
	alone   bool     // no other call runs beside it, and no hook around it: the next checkpoint holds its result

	executions int              // of the tool that the hooks around it asked for so far
	past       []*pastExecution // those that were cut off; nil: the journal was not asked yet
	entries    entries
	early      []sourcedUpdate // of calls that Revise functions made
	seed       uint64          // of a call by a hook or tool
}

// toolResult is how a tool call ended.
type toolResult struct {
	message *abi.Message
	updates []sourcedUpdate
	err     error
	cutOff  bool // the call ended because its batch was cancelled
}

// do performs the call: it lets hooks revise it, acquires what its chain needs, and reports its start and end.
func (c *toolCall) do(ctx context.Context) (result toolResult) {
	if result.err = c.revise(ctx); result.err != nil {
		return result
	}
	req, chain := c.request()
	c.began()
	start := c.run.clock()
	ctx, span := c.trace(ctx)
	if result.err = chain.acquire(ctx); result.err == nil {
		result = c.perform(ctx, req, chain)
	}
	c.ended(span, start, &result)
	return result
}

// request returns the request that enters the chain of hooks, and what the chain needs.
func (c *toolCall) request() (*ToolRequest, needs) {
	req := &ToolRequest{Call: *c.call, Asked: cmp.Or(c.asked, c.call), Revised: c.call}
	bound := c.run.agent.tools.byName[c.call.Name]
	if bound == nil {
		return req, c.run.agent.tools.unknown
	}
	req.Tool = bound.tool
	return req, bound.needs
}

// perform runs the chain, whose needs the caller has acquired, and releases them.
func (c *toolCall) perform(ctx context.Context, req *ToolRequest, chain needs) (result toolResult) {
	defer chain.release()
	result.message, result.updates, result.err = enter(ctx, c, 0, req)
	if timeout, ok := timedOut(result.err); ok {
		result = toolResult{message: timeoutAnswer(c.call, timeout)}
	}
	if result.err == nil {
		result.message = asToolMessage(result.message, c.call)
		result.err = sanitize(result.message)
	}
	if result.err == nil {
		if len(c.early) > 0 {
			result.updates = append(c.early, result.updates...)
		}
		for i := range result.updates {
			if u := result.updates[i]; u.JumpTo != "" {
				result.err = &JumpError{u.step, u.JumpTo, "from a tool call; only node hooks may jump"}
			}
		}
	}
	return result
}

// step returns the name of the step that the call's events belong to. For a call by a hook, that is the hook.
func (c *toolCall) step() string {
	if c.by != nil {
		return c.by.step
	}
	return ToolsStep
}

func (c *toolCall) trace(ctx context.Context) (context.Context, span) {
	if c.run.agent.config.Tracer == nil {
		return ctx, span{}
	}
	s := Span{Kind: SpanTool, Step: c.step(), Call: c.call}
	if bound := c.run.agent.tools.byName[c.call.Name]; bound != nil {
		s.Tool = bound.tool
	}
	return c.run.trace(ctx, s)
}

func (c *toolCall) began() {
	if c.events.on() {
		c.events.send(&Event{Type: EventTool, Step: c.step(), Call: c.call})
	}
}

func (c *toolCall) ended(span span, start time.Time, result *toolResult) {
	if !c.events.wants(span) {
		return
	}
	event := &Event{Type: EventTool, Step: c.step(), Call: c.call, Duration: c.run.agent.now().Sub(start)}
	interrupt, interrupted := asInterrupt(result.err)
	switch {
	case interrupted:
		event.Interrupts = interruptsOf(ToolsStep, c.call, interrupt)
	case result.err != nil:
		event.Error = eventError(result.err)
	default:
		event.Messages = []abi.Message{*result.message}
	}
	c.events.finish(span, event)
}

// runtime makes the Runtime of one layer of the call. entry counts, from 1, how often the layer was entered: a hook that calls next
// again makes different calls, with other seeds.
func (c *toolCall) runtime(step string, n uint64, layer, entry int) *Runtime {
	rt := &Runtime{run: c.run, state: c.run.state, step: step, n: n, emit: c.events}
	if by := c.by; by == nil {
		rt.seed, rt.callID = c.run.callSeed(c.index, layer), c.call.ID
	} else {
		rt.seed, rt.callID, rt.nested, rt.depth = placeSeed(c.seed, c.index, layer), by.callID, c.call.ID, by.depth+1
		rt.outer = by.outermost()
	}
	if entry != 1 {
		rt.seed = placeSeed(rt.seed, entry, layer)
	}
	rt.answers = c.run.questions.answersTo(step, rt.callID, rt.nested)
	return rt
}

var _ wrappedCall[*ToolRequest, *abi.Message, ToolHandler] = (*toolCall)(nil)

func (c *toolCall) from(i int) (*wrap[*ToolRequest, *abi.Message, ToolHandler], int) {
	wraps := c.run.agent.toolWraps
	for ; i < len(wraps); i++ {
		if wraps[i].wraps(c.call.Name, c.unseen()) {
			return &wraps[i].wrap, i
		}
	}
	return nil, i
}

func (c *toolCall) runtimeOf(i int, w *wrap[*ToolRequest, *abi.Message, ToolHandler]) *Runtime {
	return c.runtime(w.name, w.calls.Add(1), i, c.entries.add(i, len(c.run.agent.toolWraps)))
}

func (c *toolCall) innermost(ctx context.Context, req *ToolRequest) (*abi.Message, []sourcedUpdate, error) {
	return c.execute(ctx, req)
}

func (*toolCall) check(message *abi.Message) error {
	if message == nil {
		return errors.New("returned no tool message")
	}
	return nil
}

func (c *toolCall) complete(message *abi.Message) *abi.Message { return asToolMessage(message, c.call) }

func (c *toolCall) toolCall() *abi.ToolCall { return c.call }

func (*toolCall) messages(message *abi.Message) []abi.Message { return []abi.Message{*message} }

// asToolMessage completes the message that answers a call.
func asToolMessage(m *abi.Message, call *abi.ToolCall) *abi.Message {
	out := *m
	out.Role, out.ToolCallID = abi.RoleTool, call.ID
	if out.Name == "" {
		out.Name = call.Name
	}
	if out.Status == "" {
		out.Status = abi.StatusSuccess
	}
	return &out
}

// execute runs the tool itself. It answers an unknown name and unfitting arguments, so that the model can do better; a tool's own
// error goes outward.
func (c *toolCall) execute(ctx context.Context, req *ToolRequest) (*abi.Message, []sourcedUpdate, error) {
	e := &execution{of: c, call: req.Call, name: req.Call.Name}
	call := &e.call
	if call.Args.IsNil() {
		call.Args = wire.Map(nil).Raw()
	}
	call.Args = wire.Canonicalized(call.Args)
	if req.Tool == nil {
		return c.refuseUnknown(ctx, e)
	}
	bound, err := c.run.agent.tools.bind(req.Tool)
	if err != nil {
		return nil, nil, &ToolError{Tool: call.Name, CallID: call.ID, Err: err}
	}
	e.tool, e.name = bound, bound.spec.Name
	if err := bound.schema.Validate(call.Args); err != nil {
		return c.refuseArgs(ctx, e, err)
	}
	return c.executed(ctx, e)
}

// The texts of refuseUnknown and refuseArgs are LangChain's, with JSON in place of Python's notation. They are apart from execute,
// which runs deep inside of chains of hooks, so that its frame has no room for them.

func (c *toolCall) refuseUnknown(ctx context.Context, e *execution) (*abi.Message, []sourcedUpdate, error) {
	return c.refuse(ctx, e, fmt.Sprintf(
		"Error: %s is not a valid tool, try one of [%s].", e.call.Name, strings.Join(c.run.agent.tools.names(), ", ")))
}

func (c *toolCall) refuseArgs(ctx context.Context, e *execution, err error) (*abi.Message, []sourcedUpdate, error) {
	return c.refuse(ctx, e, fmt.Sprintf("Error invoking tool '%s' with kwargs %s with error:\n %s\n Please fix the error and try again.",
		e.call.Name, e.call.Args.JSON(), err))
}

// refuse answers a call that cannot be executed.
func (c *toolCall) refuse(ctx context.Context, e *execution, reason string) (*abi.Message, []sourcedUpdate, error) {
	if e.tool = nil; len(c.run.journal.past) > 0 { // an earlier build may have had the tool, or accepted the arguments
		if message, updates, err := c.executed(ctx, e); message != nil || err != nil {
			return message, updates, err
		}
	}
	m := abi.ToolFailure(e.call, reason)
	return &m, nil, nil
}

func callTool(ctx context.Context, t Tool, rt *Runtime, call *abi.ToolCall) (output *ToolOutput, err error) {
	defer catchPanic(&err)
	return t.Call(ctx, rt, call)
}
