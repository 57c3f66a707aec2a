package host

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/checkpoint"
)

// known is what is known of an execution that was cut off, with its run or after it.
type known struct {
	checkpoint.Execution

	met  bool // an execution of this process is this one
	told bool // a person was asked about it when the hooks around its call asked for another one
}

// is reports whether an execution of a tool, with arguments, may be this one.
func (k *known) is(tool string, args wire.Raw) bool {
	return k.Tool == tool && bytes.Equal(k.Args, args)
}

// number finds out which execution of its call this is: one that was cut off, if there is one of the same tool with the
// same arguments, or a new one. Those that failed are passed over: what follows a failure is another execution. Where a hook
// has made its call anew behind that, it was another call with another id.
func (c *toolCall) number(e *execution) {
	r := c.run
	r.remembering.Lock()
	defer r.remembering.Unlock()
	if c.notes == nil {
		c.notes = r.notesOf(c.message, c.id)
		for _, note := range c.notes {
			c.executions = max(c.executions, note.N)
		}
	}
	var failed *known
	for i, note := range c.notes {
		if note.met || !note.is(e.name, e.call.Args) {
			continue
		}
		note.met = true
		if note.failed() || r.wentOn(note, c.notes[i+1:]) {
			failed = note
			continue
		}
		e.goOn(note)
		return
	}
	if failed != nil && c.by != nil {
		if note := r.madeAnew(failed); note != nil {
			note.met = true
			e.goOn(note)
			return
		}
	}
	c.executions++
	e.id = checkpoint.Execution{Message: c.message, CallID: c.id, N: c.executions, Tool: e.name, Args: e.call.Args}
	if c.by != nil {
		e.id.By, e.id.Within = c.by.step, c.by.callID
	}
}

// goOn makes this execution the one that was noted.
func (e *execution) goOn(note *known) {
	e.id = note.Execution
	e.id.Outcome = nil
	if note.Outcome == nil || !note.Outcome.Asked {
		e.known = &note.Execution
	}
}

func (k *known) failed() bool { return k.Outcome != nil && k.Outcome.Failed }

// wentOn reports whether the hooks around a call have asked for the same execution again, behind one that had not ended: it
// had no more time, and they were told. A person who was asked about it has decided.
func (r *run) wentOn(note *known, later []*known) bool {
	again := func(other *known) bool { return other.is(note.Tool, note.Args) }
	return note.Outcome == nil && slices.ContainsFunc(later, again) && !r.wasAsked(note)
}

// wasAsked reports whether a person was asked about an execution.
func (r *run) wasAsked(note *known) bool {
	return slices.ContainsFunc(r.questions.asked, func(q question) bool { return q.Key == unfinishedKey(&note.Execution) })
}

// madeAnew finds the execution by which a hook or tool has made a call anew that had failed.
func (r *run) madeAnew(after *known) (first *known) {
	for _, note := range r.recovered {
		sameHook := note.Message == "" && note.By == after.By && note.Within == after.Within
		if !sameHook || note.met || note.failed() || note.Started < after.Started || !note.is(after.Tool, after.Args) {
			continue
		}
		if first == nil || note.Started < first.Started {
			first = note
		}
	}
	return first
}

// recover returns how an execution ended that was cut off. With neither message nor error it must be run: it is new, or
// idempotent, or a person said so. One that had not ended is never run again by itself.
func (e *execution) recover() (*abi.Message, []sourcedUpdate, error) {
	if e.known == nil {
		return e.recoverAnother()
	}
	if o := e.known.Outcome; o != nil {
		m := o.Message // the wraps may change it
		return &m, unkeptUpdates(o.Updates), nil
	}
	if e.tool != nil && e.tool.spec.Idempotent {
		return nil, nil, nil
	}
	return e.decide(e.known)
}

// recoverAnother asks about executions of the call that had not ended, and that are not this one: the hooks around the tool
// ask for another now. If they ask for one of those later, the same answer is good.
func (e *execution) recoverAnother() (*abi.Message, []sourcedUpdate, error) {
	for _, note := range e.of.notes {
		if note.Outcome != nil || note.met || note.told {
			continue
		}
		message, updates, err := e.decide(&note.Execution)
		note.told = err == nil
		if message != nil || err != nil {
			return message, updates, err
		}
	}
	return nil, nil, nil
}

// decide asks a person about an execution that had not ended.
func (e *execution) decide(note *checkpoint.Execution) (*abi.Message, []sourcedUpdate, error) {
	answer, err := e.rt.Interrupt(unfinishedKey(note), e.question(note))
	if err != nil {
		return nil, nil, err
	}
	decision, err := decodeCutOffDecision(answer)
	if err != nil {
		return nil, nil, err
	}
	switch decision.Type {
	case recoverySkip:
		m := abi.ToolFailure(e.call, cmp.Or(decision.Message, skippedText))
		return &m, nil, nil
	case recoveryRespond:
		m := abi.ToolResult(e.call, decision.Message)
		return &m, nil, nil
	default:
		return nil, nil, nil
	}
}

// skippedText is the answer to a call that was not run again, if the person who decided that gives none.
const skippedText = "This tool call was cut off before it ended. It is not known what it has done. It was not run again."

// unfinishedPrefix begins the keys of the questions about executions that did not end.
const unfinishedPrefix = "unfinished_tool_call "

// unfinishedKey is the key of the question about an execution: another one if it is cut off again.
func unfinishedKey(note *checkpoint.Execution) string {
	key := fmt.Sprintf("%s%d.%d", unfinishedPrefix, note.N, note.Attempts)
	if note.Message == "" { // a hook may ask about several calls of its own at one place
		key += " " + note.CallID
	}
	return key
}

func isCutOffQuestion(key string) bool { return strings.HasPrefix(key, unfinishedPrefix) }

// question asks what to do about an execution that had not ended.
func (e *execution) question(note *checkpoint.Execution) wire.Raw {
	decisions, _ := wire.Of([]any{recoveryRetry, recoverySkip, recoveryRespond}) // texts can be encoded
	text := fmt.Sprintf("The tool %q had started and not ended when its process died or was stopped, and it is not known what the "+
		"call has done. Retry it, skip it, or respond with its result?", note.Tool)
	value := wire.Map{
		{Key: "allowed_decisions", Value: decisions},
		{Key: "args", Value: note.Args},
		{Key: "idempotency_key", Value: wire.String(cmp.Or(note.Key, e.of.run.key(note)))},
		{Key: "name", Value: wire.String(note.Tool)},
		{Key: "started", Value: wire.Int(note.Started)},
		{Key: "tool_call_id", Value: wire.String(e.of.call.ID)},
		{Key: "type", Value: wire.String("unfinished_tool_call")},
	}
	switch {
	case e.known == nil:
		text += fmt.Sprintf(" A hook around it asks for %s %s now: that is what retry runs.", e.name, e.call.Args.JSON())
	case e.tool == nil:
		text += " The agent has no such tool any more, or not for these arguments: it cannot be retried."
	}
	value.Set("description", wire.String(text))
	return value.Raw()
}

// recovery is the answer to the question about an execution that did not end.
type recovery struct{ Type, Message string }

const (
	recoveryRetry   = "retry"   // run it again, with the same idempotency key
	recoverySkip    = "skip"    // do not; the message, if there is one, tells the model why
	recoveryRespond = "respond" // the message is its result
)

// decodeCutOffDecision reads an answer: {type, message?}, or the type alone as a text.
func decodeCutOffDecision(answer wire.Raw) (recovery, error) {
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

// notesOf returns what is known of the executions of a call that was cut off, in their order.
func (r *run) notesOf(message, call string) []*known {
	notes := []*known{}
	for _, note := range r.recovered {
		if note.Message == message && note.CallID == call {
			notes = append(notes, note)
		}
	}
	slices.SortFunc(notes, func(a, b *known) int { return cmp.Compare(a.N, b.N) })
	return notes
}

// remember keeps what a crash would find now, for a checkpoint in the middle of the step.
func (r *run) remember(note *checkpoint.Execution) {
	r.remembering.Lock()
	defer r.remembering.Unlock()
	r.remembered = append(r.remembered, *note)
}

// beginsAnew forgets what tools have returned in a call, or with "" in a step, that has failed by itself: a hook or tool that
// is tried again asks for them again. What was cut off in it stays known.
func (r *run) beginsAnew(message, call string) {
	r.remembered = slices.DeleteFunc(r.remembered, func(e checkpoint.Execution) bool {
		inside := call == "" || e.Within == call || e.Message == message && e.CallID == call
		return inside && e.Outcome != nil && !e.Outcome.Failed
	})
}

// unfinishedNotes is what a checkpoint in the middle of a step holds of executions: what was known of those of calls that
// are not done, with what this process has learned.
func (r *run) unfinishedNotes() []checkpoint.Execution {
	if len(r.recovered)+len(r.remembered) == 0 {
		return nil
	}
	before := checkpoint.Checkpoint{Executions: make([]checkpoint.Execution, 0, len(r.recovered))}
	for _, note := range r.recovered {
		before.Executions = append(before.Executions, note.Execution)
	}
	notes := checkpoint.Journalled(&before, r.remembered)
	return slices.DeleteFunc(notes, func(e checkpoint.Execution) bool {
		return e.Message != "" && r.isFinished(e.CallID) || e.Within != "" && r.isFinished(e.Within)
	})
}

// forget drops what is known of executions of a step that is over; with the run, of all. Those of steps that are still to
// come stay until a step is saved: a process that died may have been there.
func (r *run) forget(done int) {
	r.remembered = nil
	tools := r.agent.program.steps[done].kind == stepTools
	r.recovered = slices.DeleteFunc(r.recovered, func(note *known) bool {
		return note.met || note.told || tools && note.Message != ""
	})
	if r.at == endStep {
		r.dropRecovered()
	}
}

// dropRecovered drops what is known of executions that nobody has asked for again, and says so of those that had not ended.
func (r *run) dropRecovered() {
	for _, note := range r.recovered {
		if note.Outcome == nil && !note.met && !note.told {
			r.warn(cmp.Or(note.By, ToolsStep), fmt.Sprintf("a call of the tool %q was cut off, and is not made again: it is not known what it has done (%s)",
				note.Tool, note.Key))
		}
	}
	r.recovered = nil
}

// cutOff answers the open calls of the last AI message whose tools were cut off, for a run that is given up: the model
// must not think that nothing has happened. A result is kept where no hook around the tool would have seen it.
func (r *run) cutOff() *Update {
	messages := r.state.Messages()
	at := messages.LastAI()
	if at < 0 {
		return &Update{}
	}
	asking := messages.Entry(at).Message()
	update := &Update{}
	for call := range messages.OpenCalls(at) {
		notes := r.notesOf(asking.ID, call.ID)
		if len(notes) == 0 {
			continue
		}
		last := notes[len(notes)-1]
		switch {
		case last.Outcome == nil:
			update.Messages = append(update.Messages, abi.ToolFailure(*call, cutOffText))
		case last.Outcome.Failed, last.Outcome.Asked: // nothing is known that nobody would think
			continue
		case r.agent.wrapped(call.Name) || !last.is(call.Name, wire.Canonicalized(call.Args)):
			update.Messages = append(update.Messages, abi.ToolFailure(*call, lostText))
		default:
			m := last.Outcome.Message
			update.Messages = append(update.Messages, *asToolMessage(&m, call))
			for _, u := range unkeptUpdates(last.Outcome.Updates) {
				r.warn(u.step, fmt.Sprintf("of the tool call %q only the answer is kept: the run is given up", call.ID))
			}
		}
	}
	return update
}

// mayHaveRun reports whether a tool has started for a call, and not ended as far as anybody knows.
func (r *run) mayHaveRun(message, call string) bool {
	notes := r.unfinishedNotes()
	return slices.ContainsFunc(notes, func(e checkpoint.Execution) bool {
		return e.Message == message && e.CallID == call && e.Outcome == nil
	})
}

// wrapped reports whether a hook wraps calls of the model by this name.
func (a *build) wrapped(name string) bool {
	return slices.ContainsFunc(a.toolWraps, func(w toolWrap) bool { return w.wraps(name, false) })
}

// The answers to calls that were cut off, in a run that is given up.
const (
	cutOffText = "This tool call was cut off before it ended. It is not known what it has done."
	lostText   = "This tool call was performed, but its result was lost."
)
