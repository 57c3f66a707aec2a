package protocol

import (
	"cmp"
	"strconv"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/tool"
)

// maxInside is how deep agents may run inside each other and still be shown.
const maxInside = 16

// inside shows what an agent that runs as a tool does. It reports whether the event is about one.
func (t *Translator) inside(l *level, e *host.Event) bool {
	told, ok := tool.InnerEventOf(e)
	if !ok || told.Agent == "" || told.Event.Type == "" {
		return false
	}
	depth := 0
	for at := l; at.parent != nil; at = at.parent {
		depth++
	}
	inner := l.nested[told.CallID]
	switch {
	case depth >= maxInside, inner == nil && told.Event.Type == host.EventEnd:
		return true
	case inner == nil:
		inner = t.enter(l, told.Agent, told.CallID, told.Event.Run)
	}
	t.event(inner, &told.Event)
	return true
}

// enter shows that an agent begins. Its id is that of its run, which stays the same if it goes on later.
func (t *Translator) enter(l *level, agent, call, run string) *level {
	id := cmp.Or(run, call, agent)
	t.used[id]++
	if n := t.used[id]; n > 1 { // an id can be used once
		id += "#" + strconv.Itoa(n)
	}
	inner := newLevel(id, l)
	l.nested[call] = inner
	f := frame{"subagentRunId": id, "name": agent}
	if l.id != "" {
		f["parentSubagentRunId"] = l.id
	}
	if call != "" {
		f["parentToolCallId"] = call
		if asking := t.now.caller(call); asking != nil && l.parent == nil {
			f["parentMessageId"] = asking.ID
		}
	}
	t.emit(subagentStarted, "", f)
	return inner
}

// leave shows that an agent ended, or that it waits.
func (t *Translator) leave(l *level, e *host.Event) {
	t.leaveAll(l, "the agent around it has ended")
	for call, inner := range l.parent.nested {
		if inner == l {
			delete(l.parent.nested, call)
		}
	}
	switch e.Status {
	case host.Completed:
		t.emit(subagentFinished, l.id, frame{"outcome": map[string]string{"type": "success"}})
	case host.Interrupted:
		t.emit(subagentFinished, l.id, frame{"outcome": map[string]string{"type": "suspended"}})
	default:
		f := frame{"message": "it was " + string(e.Status)}
		if e.Error != nil {
			f["message"], f["code"] = e.Error.Message, e.Error.Type
		}
		t.emit(subagentError, l.id, f)
	}
}

// fail shows that an agent ended without saying so.
func (t *Translator) fail(l *level, why string) {
	t.leaveAll(l, why)
	t.emit(subagentError, l.id, frame{"message": why})
}

// nestedResult shows the result of a call that an agent inside made: nothing else tells it.
func (t *Translator) nestedResult(l *level, e *host.Event) {
	if e.Call == nil || len(e.Messages) == 0 {
		return
	}
	m := e.Messages[0]
	m.ID = cmp.Or(m.ID, l.id+"/"+e.Call.ID)
	t.result(l.id, &m)
}
