package protocol

import (
	"cmp"
	"encoding/json"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/server/internal/langchain"
)

// tool tells that a call of a tool begins, or that it ended.
func (t *Translator) tool(e *host.Event) {
	if e.Call == nil {
		return
	}
	switch {
	case e.Error != nil:
		t.tell(Tools, func() any {
			return map[string]any{"event": "tool-error", "tool_call_id": e.Call.ID, "message": e.Error.Message}
		})
	case len(e.Messages) > 0:
		t.tell(Tools, func() any {
			return map[string]any{"event": "tool-finished", "tool_call_id": e.Call.ID, "output": langchain.Message(&e.Messages[0])}
		})
		if t.namespace != nil { // nothing else tells the result
			result := e.Messages[0]
			result.ID = cmp.Or(result.ID, t.id("result/"+e.Call.ID))
			t.messages.toolMessage(t, &result)
		}
	case e.Duration == 0:
		t.tell(Tools, func() any {
			return map[string]any{
				"event": "tool-started", "tool_call_id": e.Call.ID, "tool_name": e.Call.Name, "input": json.RawMessage(e.Call.Args.JSON()),
			}
		})
	}
}
