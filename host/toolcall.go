package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
)

// toolWrap is a wrap_tool_call hook in its agent.
type toolWrap struct {
	name    string
	hook    WrapToolHook
	dynamic bool // its middleware has dynamic tools, which need an instance too
	calls   *atomic.Uint64
}

func appendToolWrap(wraps []toolWrap, m *boundMiddleware) []toolWrap {
	if m.hooks.WrapToolCall.Func == nil {
		return wraps
	}
	return append(wraps, toolWrap{
		name: m.name + "." + string(abi.WrapToolCall), hook: m.hooks.WrapToolCall, calls: new(atomic.Uint64),
		dynamic: slices.ContainsFunc(m.hooks.Tools, func(t Tool) bool { return t.Spec().Dynamic }),
	})
}

// wraps reports whether the hook wraps calls of this name.
func (w *toolWrap) wraps(name string) bool {
	return len(w.hook.Tools) == 0 || slices.Contains(w.hook.Tools, name)
}

// toolCall is one tool call on its way through the wraps.
type toolCall struct {
	run    *run
	index  int // in its message
	call   *abi.ToolCall
	events emitter
}

// toolResult is how a tool call ended.
type toolResult struct {
	message *abi.Message
	updates []sourcedUpdate
	err     error
}

// do performs the call: it leases what its chain needs and reports start and end.
func (c *toolCall) do(ctx context.Context) (result toolResult) {
	r := c.run
	req := &ToolRequest{Call: *c.call}
	chain := r.agent.tools.unknown
	if bound := r.agent.tools.byName[c.call.Name]; bound != nil {
		req.Tool, chain = bound.tool, bound.needs
	}
	if c.events.on() {
		c.events.send(&Event{Type: EventTool, Step: ToolsStep, Call: c.call})
	}
	start := r.clock()
	if result.err = chain.acquire(ctx); result.err == nil {
		result.message, result.updates, result.err = c.layer(ctx, 0, req)
		chain.release()
	}
	if timeout, ok := timedOut(result.err); ok {
		result = toolResult{message: timeoutAnswer(c.call, timeout)}
	}
	if result.err == nil {
		result.message = asToolMessage(result.message, c.call)
		for i := range result.updates {
			if u := result.updates[i]; u.JumpTo != "" {
				result.err = &JumpError{u.step, u.JumpTo, "from a tool call; only node hooks may jump"}
			}
		}
	}
	if c.events.on() {
		event := &Event{Type: EventTool, Step: ToolsStep, Call: c.call, Duration: r.agent.now().Sub(start)}
		interrupt, interrupted := asInterrupt(result.err)
		switch {
		case interrupted:
			event.Interrupts = interruptsOf(ToolsStep, c.call, interrupt)
		case result.err != nil:
			event.Error = eventError(result.err)
		default:
			event.Messages = []abi.Message{*result.message}
		}
		c.events.send(event)
	}
	return result
}

// layer calls the first wrap from index i on that wraps this call, or the tool behind the last one.
func (c *toolCall) layer(ctx context.Context, i int, req *ToolRequest) (*abi.Message, []sourcedUpdate, error) {
	wraps := c.run.agent.toolWraps
	for i < len(wraps) && !wraps[i].wraps(c.call.Name) {
		i++
	}
	if i == len(wraps) {
		return c.execute(ctx, req)
	}
	w := &wraps[i]
	rt := c.run.wrapRuntime(w.name, w.calls.Add(1), c.call.ID, c.index, i, c.events)
	var inner frame[*abi.Message]
	next := func(inside context.Context, req *ToolRequest) (*abi.Message, error) {
		return inner.next(ctx, w.name, func() (*abi.Message, []sourcedUpdate, error) { return c.layer(inside, i+1, req) })
	}
	start := c.run.clock()
	message, update, err := callWrapTool(ctx, w.hook.Func, rt, req, next)
	if err == nil && message == nil {
		err = errors.New("returned no tool message")
	}
	err = inner.settle(rt, err)
	if err != nil {
		c.run.reportHook(rt, c.call, start, nil, nil, err)
		return nil, nil, err
	}
	message = asToolMessage(message, c.call)
	c.run.reportHook(rt, c.call, start, []abi.Message{*message}, update, nil)
	return message, inner.withUpdate(w.name, update), nil
}

func callWrapTool(
	ctx context.Context, fn WrapToolFunc, rt *Runtime, req *ToolRequest, next ToolHandler,
) (message *abi.Message, update *Update, err error) {
	defer recovered(&err)
	return fn(ctx, rt, req, next)
}

// execute runs the tool itself. A name that no tool has, and arguments that do not fit, are answered so that the model
// can do better; a tool's own error goes outward. The texts are LangChain's, with JSON in place of Python's notation.
func (c *toolCall) execute(ctx context.Context, req *ToolRequest) (*abi.Message, []sourcedUpdate, error) {
	call := req.Call
	if req.Tool == nil {
		m := abi.ToolFailure(call, fmt.Sprintf("Error: %s is not a valid tool, try one of [%s].",
			call.Name, strings.Join(c.run.agent.tools.names(), ", ")))
		return &m, nil, nil
	}
	bound, err := c.run.agent.tools.bind(req.Tool)
	if err != nil {
		return nil, nil, &ToolError{Tool: call.Name, CallID: call.ID, Err: err}
	}
	if call.Args.IsNil() {
		call.Args = wire.Map(nil).Raw()
	}
	if err := bound.schema.Validate(call.Args); err != nil {
		m := abi.ToolFailure(call, fmt.Sprintf(
			"Error invoking tool '%s' with kwargs %s with error:\n %s\n Please fix the error and try again.",
			call.Name, call.Args.JSON(), err))
		return &m, nil, nil
	}
	rt := c.run.wrapRuntime(ToolsStep, 0, c.call.ID, c.index, len(c.run.agent.toolWraps), c.events)
	output, err := c.callInTime(ctx, req.Tool, rt, &call)
	if err == nil && output == nil {
		err = errors.New("returned neither output nor error")
	}
	if err != nil {
		if IsControlFlow(err) || as[*ToolError](err) {
			return nil, nil, err
		}
		return nil, nil, &ToolError{Tool: bound.spec.Name, CallID: call.ID, Err: err}
	}
	m := abi.ToolResult(call, "")
	m.Name, m.Content, m.Artifact = bound.spec.Name, output.Content, output.Artifact
	if output.Failed {
		m.Status = abi.StatusError
	}
	if output.Update.IsZero() {
		return &m, nil, nil
	}
	return &m, []sourcedUpdate{{output.Update, ToolsStep}}, nil
}

func callTool(ctx context.Context, t Tool, rt *Runtime, call *abi.ToolCall) (output *ToolOutput, err error) {
	defer recovered(&err)
	return t.Call(ctx, rt, call)
}
