package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/checkpoint"
)

// execution is one execution of a tool, for which the hooks around a call may ask several times.
type execution struct {
	of       *toolCall
	rt       *Runtime
	call     *abi.ToolCall
	tool     *boundTool
	n        int                   // counts those of the call
	attempts int                   // how often it was started before
	known    *checkpoint.Execution // what was noted of it before it was cut off; nil: nothing
}

// IdempotencyKey names this execution of a tool to the services that it uses: they can tell one that was started again,
// after a crash, from another. It is made of the thread, the run, the message that asks for the call, the call's id, and
// the number of the execution in the call: a retry by a hook around the tool has another key. It is "" in hooks.
func (rt *Runtime) IdempotencyKey() string {
	if rt.execution == nil {
		return ""
	}
	return rt.execution.key()
}

// Execution counts the executions of the tool in its call, from 1: a retry by a hook around it is another one, also after a
// crash. It is 0 in hooks.
func (rt *Runtime) Execution() int {
	if rt.execution == nil {
		return 0
	}
	return rt.execution.n
}

func (e *execution) key() string { return e.of.key(e.n) }

// key is the idempotency key of the call's n-th execution.
func (c *toolCall) key(n int) string {
	sum := sha256.New()
	for _, part := range []string{c.run.thread, c.run.id, c.message, c.call.ID, strconv.Itoa(n)} {
		_, _ = sum.Write(wire.AppendString(nil, part))
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// executed runs the tool of a call, or finds out how it ended before it was cut off.
func (c *toolCall) executed(ctx context.Context, tool *boundTool, call *abi.ToolCall) (*abi.Message, []sourcedUpdate, error) {
	e := &execution{of: c, call: call, tool: tool}
	c.number(e)
	e.rt = c.runtime(ToolsStep, 0, len(c.run.agent.toolWraps), e.n)
	e.rt.execution = e
	if message, updates, err := e.recover(); message != nil || err != nil {
		return message, updates, err
	}
	if !c.run.keeping.journals() {
		return e.run(ctx)
	}
	if !tool.spec.Idempotent {
		if err := c.run.keeping.session.Journal(ctx, e.note()); err != nil {
			c.run.unnoted.Store(true)
			return nil, nil, c.run.threadError(err)
		}
	}
	message, updates, err := e.run(ctx)
	e.noteOutcome(ctx, message, updates, err)
	return message, updates, err
}

// run runs the tool.
func (e *execution) run(ctx context.Context) (*abi.Message, []sourcedUpdate, error) {
	output, err := e.of.callInTime(ctx, e.tool.tool, e.rt, e.call)
	err = e.rt.settle(err)
	if err == nil && output == nil {
		err = errors.New("returned neither output nor error")
	}
	m := abi.ToolResult(*e.call, "")
	if err == nil {
		m.Name, m.Content, m.Artifact = e.tool.spec.Name, output.Content, output.Artifact
		if output.Failed {
			m.Status = abi.StatusError
		}
		err = tidy(&m)
	}
	switch {
	case err == nil:
		return &m, e.rt.withUpdate(nil, output.Update), nil
	case IsControlFlow(err) || as[*ToolError](err) || e.of.run.unkept(err):
		return nil, nil, err
	default:
		return nil, nil, &ToolError{Tool: e.tool.spec.Name, CallID: e.call.ID, Err: err}
	}
}

// note is the journal's note that the execution starts.
func (e *execution) note() *checkpoint.Execution {
	return &checkpoint.Execution{
		Message: e.of.message, CallID: e.call.ID, N: e.n, Attempts: e.attempts + 1, Tool: e.tool.spec.Name, Args: e.call.Args,
		Started: e.of.run.agent.now().UnixMilli(),
	}
}

// noteOutcome notes how the execution ended. That this fails loses nothing while the process lives: the run goes on, and
// what it saves next tells the same.
func (e *execution) noteOutcome(ctx context.Context, message *abi.Message, updates []sourcedUpdate, err error) {
	r := e.of.run
	cutOff := fails(err) && ctx.Err() != nil // nobody knows how far it came
	if r.unkept(err) || cutOff && e.tool.spec.Idempotent {
		return // not this tool has failed, but the journal of what it called; or it may run again unasked
	}
	if e.of.alone && e.known == nil && !cutOff {
		return // what is saved next tells the same
	}
	note := e.note()
	switch {
	case cutOff:
		r.remember(note)
		return
	case err == nil:
		note.Outcome = &checkpoint.Outcome{Message: *message, Updates: keptUpdates(updates)}
	default:
		note.Outcome = &checkpoint.Outcome{Failed: fails(err), Asked: !fails(err)}
	}
	if e.known != nil { // the next checkpoint has what was known; this is newer
		r.remember(note)
	}
	if e.of.alone {
		return
	}
	if err := r.keeping.session.Journal(context.WithoutCancel(ctx), note); err != nil {
		e.rt.Warn(fmt.Sprintf("tool %q: that its call %q has ended could not be noted: %v", e.tool.spec.Name, e.call.ID, err))
	}
}
