package host

import (
	"context"
	"errors"
	"fmt"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/checkpoint"
)

// execution is one execution of a tool. The hooks around a call may ask for several.
type execution struct {
	of   *toolCall
	rt   *Runtime
	call abi.ToolCall
	tool *boundTool            // nil: the tool cannot run
	name string                // of the tool
	id   checkpoint.Execution  // how the journal names it: without an outcome
	past *checkpoint.Execution // its record from before it was cut off; nil: it is new
}

// IdempotencyKey identifies this execution of a tool to the services that the tool uses, so that they can recognise an
// execution that was started again after a crash. It is derived from the thread, the run, the message that asks for the
// call, the call's id, and the number of the execution in the call: a retry by a hook around the tool has another key. The
// key is "" in hooks.
func (rt *Runtime) IdempotencyKey() string {
	if rt.execution == nil {
		return ""
	}
	return rt.execution.key()
}

// Execution returns the number of this execution of the tool in its call, from 1. A retry by a hook around the tool is
// another execution, even after a crash. The number is 0 in hooks.
func (rt *Runtime) Execution() int {
	if rt.execution == nil {
		return 0
	}
	return rt.execution.id.N
}

// key returns the idempotency key. A past execution, which may belong to another thread or run, keeps its key.
func (e *execution) key() string {
	if e.id.Key == "" {
		run := e.of.run
		e.id.Key = executionKey(run.thread.id, run.id, &e.id)
	}
	return e.id.Key
}

// executed runs the tool of a call, or finds out how a past execution of it ended.
func (c *toolCall) executed(ctx context.Context, e *execution) (*abi.Message, []sourcedUpdate, error) {
	c.run.journal.number(c, e)
	e.rt = c.runtime(ToolsStep, 0, len(c.run.agent.toolWraps), e.id.N)
	e.rt.execution = e
	if message, updates, err := e.resolve(); message != nil || err != nil || e.tool == nil {
		return message, updates, err
	}
	if !c.run.thread.savesMeanwhile() {
		return e.run(ctx)
	}
	e.id.Attempts++
	e.id.Started = c.run.agent.now().UnixMilli()
	e.key()
	if !e.tool.spec.Idempotent {
		if err := e.recordStart(ctx, &e.id); err != nil {
			return nil, nil, err
		}
	}
	message, updates, err := e.run(ctx)
	e.recordOutcome(ctx, message, updates, err)
	return message, updates, err
}

// recordStart writes to the journal before the tool begins. If it cannot, the tool does not run, and neither this call nor
// another may be saved as anything that a crash would not tell. A call that was cancelled meanwhile has not begun.
func (e *execution) recordStart(ctx context.Context, id *checkpoint.Execution) error {
	r := e.of.run
	err := r.thread.session.Journal(ctx, id)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	default:
		r.journal.broken.Store(true)
		return r.thread.fail(err)
	}
}

// run runs the tool.
func (e *execution) run(ctx context.Context) (*abi.Message, []sourcedUpdate, error) {
	output, err := e.of.callInTime(ctx, e.tool.tool, e.rt, &e.call)
	return e.answer(output, e.rt.settle(err))
}

// answer makes the answer to the call of what the tool returned.
func (e *execution) answer(output *ToolOutput, err error) (*abi.Message, []sourcedUpdate, error) {
	if err == nil && output == nil {
		err = errors.New("returned neither output nor error")
	}
	m := abi.ToolResult(e.call, "")
	if err == nil {
		m.ID, m.Name, m.Content, m.Artifact = output.id, e.tool.spec.Name, output.Content, output.Artifact
		if output.Failed {
			m.Status = abi.StatusError
		}
		err = sanitize(&m)
	}
	switch {
	case err == nil:
		return &m, e.rt.withUpdate(nil, output.Update), nil
	case IsControlFlow(err) || as[*ToolError](err) || e.of.run.journal.broke(err):
		return nil, nil, err
	default:
		return nil, nil, &ToolError{Tool: e.tool.spec.Name, CallID: e.call.ID, Err: err}
	}
}

// recordOutcome writes to the journal how the execution ended. If that fails, nothing is lost while the process lives: the run
// goes on, and its next checkpoint holds the same.
func (e *execution) recordOutcome(ctx context.Context, message *abi.Message, updates []sourcedUpdate, err error) {
	r := e.of.run
	if r.journal.broke(err) { // the tool did not fail; the journal of a call that it made did
		return
	}
	if err == nil && e.of.alone && e.past == nil { // the next checkpoint holds the same
		return
	}
	record := e.id
	_, late := timedOut(err)
	switch {
	case fails(err) && (late || ctx.Err() != nil): // it was cut off, and nobody knows how far it got
		if !e.tool.spec.Idempotent {
			r.journal.learn(&record)
		}
		return
	case err == nil:
		record.Outcome = &checkpoint.Outcome{Message: *message, Updates: checkpointUpdates(updates)}
	default:
		record.Outcome = &checkpoint.Outcome{Failed: fails(err), Asked: !fails(err)}
	}
	r.journal.learn(&record)
	if e.of.alone {
		return
	}
	if err := r.thread.session.Journal(context.WithoutCancel(ctx), &record); err != nil {
		e.rt.Warn(fmt.Sprintf("tool %q: the end of its call %q could not be journalled: %v", e.tool.spec.Name, e.call.ID, err))
	}
}
