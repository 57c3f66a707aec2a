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

// number finds out which execution of its call this is: one that was cut off, if there is one of the same tool with the
// same arguments, or a new one. Those that failed are passed over: what follows a failure is another execution.
func (c *toolCall) number(e *execution) {
	if c.notes == nil {
		c.notes = c.run.notesOf(c.message, c.call.ID)
		for i := range c.notes {
			c.executions = max(c.executions, c.notes[i].N)
		}
	}
	for i := range c.notes {
		note := &c.notes[i]
		if c.met[note.N] || note.Tool != e.tool.spec.Name || !bytes.Equal(note.Args, e.call.Args) {
			continue
		}
		c.meet(note)
		switch {
		case note.Outcome != nil && note.Outcome.Failed:
			continue
		case note.Outcome == nil || !note.Outcome.Asked:
			e.known = note
		}
		e.n, e.attempts = note.N, note.Attempts
		return
	}
	c.executions++
	e.n = c.executions
}

// meet says that a note is not to be taken for another execution.
func (c *toolCall) meet(note *checkpoint.Execution) {
	if c.met == nil {
		c.met = map[int]bool{}
	}
	c.met[note.N] = true
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
	if e.tool.spec.Idempotent {
		return nil, nil, nil
	}
	return e.decide(e.known)
}

// recoverAnother asks about executions of the call that had not ended, and that are not this one: the hooks around the tool
// ask for another now.
func (e *execution) recoverAnother() (*abi.Message, []sourcedUpdate, error) {
	for i := range e.of.notes {
		note := &e.of.notes[i]
		if note.Outcome != nil || e.of.met[note.N] {
			continue
		}
		message, updates, err := e.decide(note)
		if err == nil {
			e.of.meet(note)
		}
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
const skippedText = "This tool call was cut off before it ended. It is not known what it has done. It was not run again."

// unfinishedPrefix begins the keys of the questions about executions that did not end.
const unfinishedPrefix = "unfinished_tool_call "

// unfinishedKey is the key of the question about an execution: another one if it is cut off again.
func unfinishedKey(note *checkpoint.Execution) string {
	return fmt.Sprintf("%s%d.%d", unfinishedPrefix, note.N, note.Attempts)
}

func isUnfinished(key string) bool { return strings.HasPrefix(key, unfinishedPrefix) }

// question asks what to do about an execution that had not ended.
func (e *execution) question(note *checkpoint.Execution) wire.Raw {
	decisions, _ := wire.Of([]any{recoveryRetry, recoverySkip, recoveryRespond}) // texts can be encoded
	text := fmt.Sprintf("The tool %q had started and not ended when its process died or was stopped, and it is not known what the "+
		"call has done. Retry it, skip it, or respond with its result?", note.Tool)
	value := wire.Map{
		{Key: "allowed_decisions", Value: decisions},
		{Key: "args", Value: note.Args},
		{Key: "idempotency_key", Value: wire.String(e.of.key(note.N))},
		{Key: "name", Value: wire.String(note.Tool)},
		{Key: "started", Value: wire.Int(note.Started)},
		{Key: "tool_call_id", Value: wire.String(note.CallID)},
		{Key: "type", Value: wire.String("unfinished_tool_call")},
	}
	if e.known == nil {
		text += fmt.Sprintf(" A hook around it asks for %s %s now: that is what retry runs.", e.tool.spec.Name, e.call.Args.JSON())
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

// notesOf returns what is known of the executions of a call that was cut off, in their order.
func (r *run) notesOf(message, call string) []checkpoint.Execution {
	notes := []checkpoint.Execution{}
	for i := range r.recovered {
		if note := &r.recovered[i]; note.Message == message && note.CallID == call {
			notes = append(notes, *note)
		}
	}
	slices.SortFunc(notes, func(a, b checkpoint.Execution) int { return cmp.Compare(a.N, b.N) })
	return notes
}

// remember keeps a note for the checkpoint that comes next, if the step is not over then.
func (r *run) remember(note *checkpoint.Execution) {
	r.remembering.Lock()
	defer r.remembering.Unlock()
	r.remembered = append(r.remembered, *note)
}

// unfinishedNotes is what a checkpoint in the middle of a step holds of executions: what was known of those of calls that
// are not done, with what this process has learned.
func (r *run) unfinishedNotes() []checkpoint.Execution {
	if len(r.recovered)+len(r.remembered) == 0 {
		return nil
	}
	notes := checkpoint.Journalled(&checkpoint.Checkpoint{Executions: r.recovered}, r.remembered)
	return slices.DeleteFunc(notes, func(e checkpoint.Execution) bool { return e.Message != "" && r.isFinished(e.CallID) })
}

// forget drops what is known of executions of a step that is over: of the tools' own, or, with the run, of all. Those of
// calls by hooks, and of steps that are still to come, stay until a step is saved: a process that died may have been there.
func (r *run) forget(done int) {
	r.recovered, r.remembered = r.unfinishedNotes(), nil
	switch {
	case r.at == endStep:
		r.recovered = nil
	case r.agent.program.steps[done].kind == stepTools:
		r.recovered = slices.DeleteFunc(r.recovered, func(e checkpoint.Execution) bool { return e.Message != "" })
	}
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
		last := &notes[len(notes)-1]
		switch {
		case last.Outcome == nil:
			update.Messages = append(update.Messages, abi.ToolFailure(*call, cutOffText))
		case last.Outcome.Failed, last.Outcome.Asked: // nothing is known that nobody would think
			continue
		case len(r.agent.toolWraps) > 0:
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

// The answers to calls that were cut off, in a run that is given up.
const (
	cutOffText = "This tool call was cut off before it ended. It is not known what it has done."
	lostText   = "This tool call was performed, but its result was lost."
)
