package frames

import (
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/tool"
)

// nestedEvent shows what an agent that runs as a tool does, in frames that name its call. It reports whether the event is one of these.
func (t *Translator) nestedEvent(e *host.Event) bool {
	told, ok := tool.InnerEventOf(e)
	if !ok || told.Agent == "" || told.Event.Type == "" {
		return false
	}
	if !t.config.Nested {
		return true
	}
	inner := t.nested[told.CallID]
	if inner == nil || told.Event.Type == host.EventRun {
		config := t.config
		config.Before, config.Input, config.Hidden = Content{}, nil, nil
		inner = New(config)
		inner.within = t.within + "|" + e.Step + ":" + t.id("call/"+told.CallID)
		inner.attempt = t.attempt
		t.nested[told.CallID] = inner
	}
	inner.out = nil
	inner.event(&told.Event)
	t.out = append(t.out, inner.out...)
	return true
}
