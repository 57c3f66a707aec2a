package protocol

import (
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/tool"
	"github.com/agenthost/agenthost/server/langgraph/internal/frames"
)

// nestedEvent shows what an agent that runs as a tool does, in a namespace that names its call. It reports whether the event is one of these.
//
// LangGraph performs each call as a task of its own, whose id is in the namespace; its SDK for Python knows by the result of the task that the
// agent has ended.
func (t *Translator) nestedEvent(e *host.Event) bool {
	told, ok := tool.InnerEventOf(e)
	if !ok || told.Agent == "" || told.Event.Type == "" {
		return false
	}
	task := &step{t.id("call/" + told.CallID), e.Step}
	inner := t.nested[told.CallID]
	if inner == nil || told.Event.Type == host.EventRun {
		inner = t.enter(told.Agent, told.CallID, task)
	}
	inner.event(&told.Event)
	if end := &told.Event; end.Type == host.EventEnd {
		var failure any
		if end.Error != nil {
			failure = end.Error.Message
		}
		t.result(task, nil, end.Interrupts, failure)
	}
	return true
}

// enter begins to translate an agent that runs as a tool.
func (t *Translator) enter(agent, call string, task *step) *Translator {
	t.began(task)
	config := t.config
	config.Before = frames.Content{}
	inner := New(config)
	inner.namespace, inner.graph, inner.attempt, inner.shared = t.within(task.name+":"+task.id), agent, t.attempt, t.shared
	t.nested[call] = inner
	inner.tell(Lifecycle, func() any {
		out := map[string]any{"event": "started", "graph_name": agent, "namespace": inner.namespace, "trigger_call_id": task.id}
		if call != "" {
			out["cause"] = map[string]string{"type": "toolCall", "tool_call_id": call}
		}
		return out
	})
	return inner
}
