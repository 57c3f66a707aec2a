package tool

import (
	"encoding/json"

	"github.com/agenthost/agenthost/host"
)

// AgentEvent is the name of the custom event that contains an event of an agent inside a tool: its data is an [InnerEvent].
const AgentEvent = "agent"

// InnerEvent is an event of an agent inside a tool.
type InnerEvent struct {
	Agent  string     `json:"agent"`             // its name
	CallID string     `json:"call_id,omitempty"` // id of the tool call in which it runs; "" if it runs in a hook
	Event  host.Event `json:"event"`
}

// InnerEventOf returns the event of an agent inside a tool that an event contains; ok is false if it contains none. Anybody can emit such an
// event, so its members may be missing.
func InnerEventOf(e *host.Event) (inner InnerEvent, ok bool) {
	if e.Name != AgentEvent {
		return inner, false
	}
	err := json.Unmarshal([]byte(e.Data.JSON()), &inner)
	return inner, err == nil
}
