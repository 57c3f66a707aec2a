package host

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/internal/text"
)

// A tool's execution is cut off when its process dies, or is stopped, before it ends: nobody knows what it did. This file
// decides what happens to it when its run goes on, or is given up.

// goOn makes this execution the past one.
func (e *execution) goOn(p *pastExecution) {
	e.id = p.Execution
	e.id.Outcome = nil
	if p.Outcome == nil || !p.Outcome.Asked {
		e.past = &p.Execution
	}
}

// resolve returns how a past execution ended. If it returns neither a message nor an error, the tool must run: the execution is
// new, or idempotent, or a person said so. One that had not ended never runs again by itself.
func (e *execution) resolve() (*abi.Message, []sourcedUpdate, error) {
	if e.past == nil {
		return e.resolveOthers()
	}
	if o := e.past.Outcome; o != nil {
		m := o.Message // a copy, since the wraps may change it
		return &m, sourcedUpdates(o.Updates), nil
	}
	if e.tool != nil && e.tool.spec.Idempotent {
		return nil, nil, nil
	}
	return e.decide(e.past)
}

// resolveOthers asks about other executions of the call that had not ended, now that the hooks around the tool ask for a new
// one. If the hooks ask for one of those later, the same answer counts.
func (e *execution) resolveOthers() (*abi.Message, []sourcedUpdate, error) {
	for _, p := range e.of.past {
		if p.Outcome != nil || p.met || p.told {
			continue
		}
		message, updates, err := e.decide(&p.Execution)
		p.told = err == nil
		if message != nil || err != nil {
			return message, updates, err
		}
	}
	return nil, nil, nil
}

// decide asks a person about an execution that had not ended.
func (e *execution) decide(past *checkpoint.Execution) (*abi.Message, []sourcedUpdate, error) {
	answer, err := e.rt.Interrupt(cutOffQuestionKey(past), e.question(past))
	if err != nil {
		return nil, nil, err
	}
	decision, err := decodeCutOffDecision(answer)
	if err != nil {
		return nil, nil, err
	}
	switch decision.Type {
	case cutOffSkip:
		m := abi.ToolFailure(e.call, cmp.Or(decision.Message, skippedText))
		return &m, nil, nil
	case cutOffRespond:
		m := abi.ToolResult(e.call, decision.Message)
		return &m, nil, nil
	default:
		return nil, nil, nil
	}
}

// skippedText answers a call that is not run again, if the person who decided that gave no message.
const skippedText = "This tool call was cut off before it ended. It is not known what it has done. It was not run again."

// cutOffQuestionPrefix begins the keys of the questions about executions that were cut off.
const cutOffQuestionPrefix = "unfinished_tool_call "

// cutOffQuestionKey returns the key of the question about an execution: another key each time that it is cut off.
func cutOffQuestionKey(past *checkpoint.Execution) string {
	key := fmt.Sprintf("%s%d.%d", cutOffQuestionPrefix, past.N, past.Attempts)
	if past.Message == "" { // a hook may ask about several calls of its own at one place
		key += " " + past.CallID
	}
	return key
}

func isCutOffQuestion(key string) bool { return strings.HasPrefix(key, cutOffQuestionPrefix) }

// askedAbout reports whether a person was asked about an execution that was cut off.
func (qs *questions) askedAbout(past *checkpoint.Execution) bool {
	return slices.ContainsFunc(qs.asked, func(q question) bool { return q.Key == cutOffQuestionKey(past) })
}

// question is the document that asks what to do about an execution that had not ended.
func (e *execution) question(past *checkpoint.Execution) wire.Raw {
	decisions, _ := wire.Of([]any{cutOffRetry, cutOffSkip, cutOffRespond}) // texts can be encoded
	text := fmt.Sprintf("The tool %q started but did not end, because its process died or was stopped. It is not known what the "+
		"call did. Retry it, skip it, or respond with its result?", past.Tool)
	run := e.of.run
	value := wire.Map{
		{Key: "allowed_decisions", Value: decisions},
		{Key: "args", Value: past.Args},
		{Key: "idempotency_key", Value: wire.String(cmp.Or(past.Key, executionKey(run.thread.id, run.id, past)))},
		{Key: "name", Value: wire.String(past.Tool)},
		{Key: "started", Value: wire.Int(past.Started)},
		{Key: "tool_call_id", Value: wire.String(e.of.call.ID)},
		{Key: "type", Value: wire.String("unfinished_tool_call")},
	}
	switch {
	case e.past == nil:
		text += fmt.Sprintf(" A hook around it now asks for %s %s, which is what retry runs.", e.name, e.call.Args.JSON())
	case e.tool == nil:
		text += " The agent no longer has this tool, or no longer accepts these arguments, so it cannot be retried."
	}
	value.Set("description", wire.String(text))
	return value.Raw()
}

// cutOffDecision is the answer to the question about an execution that was cut off.
type cutOffDecision struct{ Type, Message string }

const (
	cutOffRetry   = "retry"   // run it again, with the same idempotency key
	cutOffSkip    = "skip"    // do not run it; the message, if any, tells the model why
	cutOffRespond = "respond" // the message is its result
)

// decodeCutOffDecision reads an answer: {type, message?}, or the type alone as a text.
func decodeCutOffDecision(answer wire.Raw) (cutOffDecision, error) {
	if text, ok := answer.AsString(); ok {
		answer = wire.Map{{Key: "type", Value: wire.String(text)}}.Raw()
	}
	var m wire.Map
	_, err := m.UnmarshalMsg(answer)
	var d cutOffDecision
	if err == nil {
		d.Type, _ = m.Get("type").AsString()
		d.Message, _ = m.Get("message").AsString()
	}
	switch {
	case d.Type != cutOffRetry && d.Type != cutOffSkip && d.Type != cutOffRespond:
		return d, fmt.Errorf(`%s is not a decision about a tool call that did not end; use {"type": "retry"}, {"type": "skip"} `+
			`or {"type": "respond", "message": the result}`, text.Head(answer.JSON(), 200))
	case d.Type == cutOffRespond && !m.Has("message"):
		return d, errors.New("the decision respond needs a message: the result of the tool call")
	default:
		return d, nil
	}
}

// answerCutOff answers the open calls of the last AI message whose tools were cut off, for a run that is given up: the model
// must not believe that nothing happened. A result is kept only where no hook around the tool would have seen it.
func (r *run) answerCutOff() *Update {
	messages := r.state.Messages()
	at := messages.LastAI()
	if at < 0 {
		return &Update{}
	}
	asking := messages.Entry(at).Message()
	update := &Update{}
	for call := range messages.OpenCalls(at) {
		past := r.journal.of(asking.ID, call.ID)
		if len(past) == 0 {
			continue
		}
		last := past[len(past)-1]
		switch {
		case last.Outcome == nil:
			update.Messages = append(update.Messages, abi.ToolFailure(*call, cutOffText))
		case last.Outcome.Failed, last.Outcome.Asked: // the call simply failed or asked, as an open call suggests
			continue
		case r.agent.wrapped(call.Name) || !last.is(call.Name, wire.Canonicalized(call.Args)):
			update.Messages = append(update.Messages, abi.ToolFailure(*call, lostText))
		default:
			m := last.Outcome.Message
			update.Messages = append(update.Messages, *asToolMessage(&m, call))
			for _, u := range sourcedUpdates(last.Outcome.Updates) {
				r.warn(u.step, fmt.Sprintf("only the answer of the tool call %q is kept, because the run is given up", call.ID))
			}
		}
	}
	return update
}

// wrapped reports whether a hook wraps the model's calls of this tool.
func (a *build) wrapped(name string) bool {
	return slices.ContainsFunc(a.toolWraps, func(w toolWrap) bool { return w.wraps(name, false) })
}

// The answers to calls that were cut off, in a run that is given up.
const (
	cutOffText = "This tool call was cut off before it ended. It is not known what it has done."
	lostText   = "This tool call was performed, but its result was lost."
)
