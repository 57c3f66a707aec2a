package host

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

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
	n        int // counts those of the call
	attempts int // how often it was started, by processes that died too
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

func (e *execution) key() string {
	sum := sha256.New()
	for _, part := range []string{e.of.run.thread, e.of.run.id, e.of.message, e.call.ID, strconv.Itoa(e.n)} {
		_, _ = sum.Write(wire.AppendString(nil, part))
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// executed runs the tool of a call, or finds out how it ended in a process that died meanwhile.
func (c *toolCall) executed(ctx context.Context, tool *boundTool, call *abi.ToolCall) (*abi.Message, []sourcedUpdate, error) {
	c.executions++
	e := &execution{of: c, call: call, tool: tool, n: c.executions, attempts: 1}
	e.rt = c.runtime(ToolsStep, 0, len(c.run.agent.toolWraps))
	e.rt.execution = e
	if !c.run.keeping.journals() {
		return e.run(ctx)
	}
	if recorded := e.recorded(); recorded != nil {
		message, updates, err := e.recover(recorded)
		if message != nil || err != nil {
			return message, updates, err
		}
	}
	if !tool.spec.Idempotent {
		if err := c.run.keeping.session.Journal(ctx, e.note()); err != nil {
			return nil, nil, c.run.threadError(err)
		}
	}
	message, updates, err := e.run(ctx)
	if !c.alone {
		e.noteOutcome(ctx, message, updates, err)
	}
	return message, updates, err
}

// run runs the tool.
func (e *execution) run(ctx context.Context) (*abi.Message, []sourcedUpdate, error) {
	output, err := e.of.callInTime(ctx, e.tool.tool, e.rt, e.call)
	err = e.rt.settle(err)
	if err == nil && output == nil {
		err = errors.New("returned neither output nor error")
	}
	if err != nil {
		if IsControlFlow(err) || as[*ToolError](err) {
			return nil, nil, err
		}
		return nil, nil, &ToolError{Tool: e.tool.spec.Name, CallID: e.call.ID, Err: err}
	}
	m := abi.ToolResult(*e.call, "")
	m.Name, m.Content, m.Artifact = e.tool.spec.Name, output.Content, output.Artifact
	if output.Failed {
		m.Status = abi.StatusError
	}
	return &m, e.rt.withUpdate(nil, output.Update), nil
}

// note is the journal's note that the execution starts.
func (e *execution) note() *checkpoint.Execution {
	return &checkpoint.Execution{
		CallID: e.call.ID, N: e.n, Attempts: e.attempts, Tool: e.tool.spec.Name, Args: e.call.Args,
		Started: e.of.run.agent.now().UnixMilli(),
	}
}

// noteOutcome notes how the execution ended. That this fails loses nothing while the process lives: the run goes on, and
// what it saves next tells the same.
func (e *execution) noteOutcome(ctx context.Context, message *abi.Message, updates []sourcedUpdate, err error) {
	note := e.note()
	switch {
	case err == nil:
		note.Outcome = &checkpoint.Outcome{Message: *message, Updates: keptUpdates(updates)}
	case !IsControlFlow(err):
		note.Outcome = &checkpoint.Outcome{Error: ErrorDocument(err)}
	case fails(err): // it was cancelled: nobody knows how far it came
		return
	default: // it asks something, and runs again from its start
		note.Started = 0
	}
	if err := e.of.run.keeping.session.Journal(context.WithoutCancel(ctx), note); err != nil {
		e.rt.Warn(fmt.Sprintf("tool %q: that its call %q has ended could not be noted: %v", e.tool.spec.Name, e.call.ID, err))
	}
}

// recorded finds what a process that died has noted of the execution; nil: nothing.
func (e *execution) recorded() *checkpoint.Execution {
	all := e.of.run.recovered
	at := slices.IndexFunc(all, func(r checkpoint.Execution) bool { return r.CallID == e.call.ID && r.N == e.n })
	if at < 0 || all[at].Started == 0 {
		return nil
	}
	return &all[at]
}

// recover returns how an execution ended that a process which died has noted. With neither message nor error it must be
// run: it is idempotent, or a person said so. One that had not ended is never run again by itself.
func (e *execution) recover(r *checkpoint.Execution) (*abi.Message, []sourcedUpdate, error) {
	same := r.Tool == e.tool.spec.Name && bytes.Equal(r.Args, e.call.Args)
	switch {
	case r.Outcome != nil && same && r.Outcome.Error != nil:
		return nil, nil, &ToolError{Tool: r.Tool, CallID: r.CallID, Err: r.Outcome.Error}
	case r.Outcome != nil && same:
		return &r.Outcome.Message, unkeptUpdates(r.Outcome.Updates), nil
	case r.Outcome != nil || e.tool.spec.Idempotent:
		return nil, nil, nil
	}
	e.attempts = r.Attempts + 1
	answer, err := e.rt.Interrupt(unfinishedKey(r), e.question(r))
	if err != nil {
		return nil, nil, err
	}
	decision, err := decodeRecovery(answer)
	if err != nil {
		return nil, nil, err
	}
	switch decision.Type {
	case recoverySkip:
		m := abi.ToolFailure(*e.call, cmp.Or(decision.Message, skippedText))
		return &m, nil, nil
	case recoveryRespond:
		m := abi.ToolResult(*e.call, decision.Message)
		return &m, nil, nil
	default:
		return nil, nil, nil
	}
}

// skippedText is the answer to a call that was not run again, if the person who decided that gives none.
const skippedText = "The process that ran this tool call died before the call ended. It is not known what the call has done. It was not run again."

// unfinishedPrefix begins the keys of the questions about executions that did not end.
const unfinishedPrefix = "unfinished_tool_call "

// unfinishedKey is the key of the question about an execution: another one if it is cut off again.
func unfinishedKey(r *checkpoint.Execution) string {
	return fmt.Sprintf("%s%d.%d", unfinishedPrefix, r.N, r.Attempts)
}

func isUnfinished(key string) bool { return strings.HasPrefix(key, unfinishedPrefix) }

// question asks what to do about an execution that did not end.
func (e *execution) question(r *checkpoint.Execution) wire.Raw {
	decisions, _ := wire.Of([]any{recoveryRetry, recoverySkip, recoveryRespond}) // texts can be encoded
	return wire.Map{
		{Key: "allowed_decisions", Value: decisions},
		{Key: "args", Value: r.Args},
		{Key: "description", Value: wire.String(fmt.Sprintf(
			"The process that ran the tool %q died before the call ended, and it is not known what the call has done. "+
				"Retry it, skip it, or respond with its result?", r.Tool))},
		{Key: "idempotency_key", Value: wire.String(e.key())},
		{Key: "name", Value: wire.String(r.Tool)},
		{Key: "started", Value: wire.Int(r.Started)},
		{Key: "tool_call_id", Value: wire.String(r.CallID)},
		{Key: "type", Value: wire.String("unfinished_tool_call")},
	}.Raw()
}

// recovery is the answer to the question about an execution that did not end.
type recovery struct{ Type, Message string }

const (
	recoveryRetry   = "retry"   // run it again, with the same idempotency key
	recoverySkip    = "skip"    // do not; the message, if there is one, tells the model why
	recoveryRespond = "respond" // the message is its result
)

// decodeRecovery reads an answer: {type, message?}, or the type alone as a text.
func decodeRecovery(answer wire.Raw) (recovery, error) {
	if text, ok := answer.AsString(); ok {
		answer = wire.Map{{Key: "type", Value: wire.String(text)}}.Raw()
	}
	var m wire.Map
	_, err := m.UnmarshalMsg(answer)
	var d recovery
	if err == nil {
		d.Type, _ = m.Get("type").AsString()
		d.Message, _ = m.Get("message").AsString()
	}
	switch {
	case d.Type != recoveryRetry && d.Type != recoverySkip && d.Type != recoveryRespond:
		return d, fmt.Errorf(`%s is no decision about a tool call that did not end; use {"type": "retry"}, {"type": "skip"} `+
			`or {"type": "respond", "message": the result}`, cut(answer.JSON(), 200))
	case d.Type == recoveryRespond && !m.Has("message"):
		return d, errors.New("the decision respond needs a message: the result of the tool call")
	default:
		return d, nil
	}
}
