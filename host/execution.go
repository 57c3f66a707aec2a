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
	of    *toolCall
	rt    *Runtime
	call  abi.ToolCall
	tool  *boundTool            // nil: it cannot be run
	name  string                // of the tool
	id    checkpoint.Execution  // what it is noted as: without an outcome
	known *checkpoint.Execution // what was noted of it before it was cut off; nil: nothing
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
	return rt.execution.id.N
}

// key names the execution. One that was noted before, in another thread or by another run perhaps, keeps its key.
func (e *execution) key() string {
	if e.id.Key == "" {
		e.id.Key = e.of.run.key(&e.id)
	}
	return e.id.Key
}

func (r *run) key(e *checkpoint.Execution) string {
	var space [128]byte
	b := space[:0]
	for _, part := range [...]string{r.thread, r.id, e.Message, e.CallID, strconv.Itoa(e.N)} {
		b = wire.AppendString(b, part)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:16])
}

// executed runs the tool of a call, or finds out how it ended before it was cut off.
func (c *toolCall) executed(ctx context.Context, e *execution) (*abi.Message, []sourcedUpdate, error) {
	c.number(e)
	e.rt = c.runtime(ToolsStep, 0, len(c.run.agent.toolWraps), e.id.N)
	e.rt.execution = e
	if message, updates, err := e.recover(); message != nil || err != nil || e.tool == nil {
		return message, updates, err
	}
	if !c.run.keeping.journals() {
		return e.run(ctx)
	}
	e.id.Attempts++
	e.id.Started = c.run.agent.now().UnixMilli()
	e.key()
	if !e.tool.spec.Idempotent {
		if err := e.journal(ctx, &e.id); err != nil {
			return nil, nil, err
		}
	}
	message, updates, err := e.run(ctx)
	e.noteOutcome(ctx, message, updates, err)
	return message, updates, err
}

// journal writes a note before the tool begins. If it cannot, nothing is known of this call or another one that a crash
// would not tell; but one that was given up meanwhile has not begun.
func (e *execution) journal(ctx context.Context, note *checkpoint.Execution) error {
	r := e.of.run
	err := r.keeping.session.Journal(ctx, note)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	default:
		r.unnoted.Store(true)
		return r.threadError(err)
	}
}

// run runs the tool.
func (e *execution) run(ctx context.Context) (*abi.Message, []sourcedUpdate, error) {
	output, err := e.of.callInTime(ctx, e.tool.tool, e.rt, &e.call)
	err = e.rt.settle(err)
	if err == nil && output == nil {
		err = errors.New("returned neither output nor error")
	}
	m := abi.ToolResult(e.call, "")
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

// noteOutcome notes how the execution ended. That this fails loses nothing while the process lives: the run goes on, and
// what it saves next tells the same.
func (e *execution) noteOutcome(ctx context.Context, message *abi.Message, updates []sourcedUpdate, err error) {
	r := e.of.run
	if r.unkept(err) { // not this tool has failed, but the journal of what it called
		return
	}
	note := e.id
	_, late := timedOut(err)
	switch {
	case fails(err) && (late || ctx.Err() != nil): // it was cut off, and nobody knows how far it came
		if !e.tool.spec.Idempotent {
			r.remember(&note)
		}
		return
	case err == nil && e.of.alone && e.known == nil: // what is saved next tells the same
		return
	case err == nil:
		note.Outcome = &checkpoint.Outcome{Message: *message, Updates: keptUpdates(updates)}
	default:
		note.Outcome = &checkpoint.Outcome{Failed: fails(err), Asked: !fails(err)}
	}
	r.remember(&note)
	if e.of.alone {
		return
	}
	if err := r.keeping.session.Journal(context.WithoutCancel(ctx), &note); err != nil {
		e.rt.Warn(fmt.Sprintf("tool %q: that its call %q has ended could not be noted: %v", e.tool.spec.Name, e.call.ID, err))
	}
}
