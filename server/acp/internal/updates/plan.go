package updates

import (
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/server/acp/internal/protocol"
)

// todosField is the field in which the middleware todo_list keeps its steps: {content, status}.
const todosField = "todos"

// maxEntries is how many steps of a plan a client is sent.
const maxEntries = 200

// planOf returns the plan in changed fields, or nil.
func planOf(fields wire.Map) *protocol.Update {
	if !fields.Has(todosField) {
		return nil
	}
	items, ok := fields.Get(todosField).Items()
	if !ok {
		return nil
	}
	entries := []protocol.PlanEntry{}
	for _, item := range items[:min(len(items), maxEntries)] {
		content, ok := item.Get("content").AsString()
		if !ok {
			return nil // another middleware's field
		}
		status, _ := item.Get("status").AsString()
		if status != "in_progress" && status != "completed" {
			status = "pending"
		}
		entries = append(entries, protocol.PlanEntry{Content: content, Priority: "medium", Status: status})
	}
	return &protocol.Update{Kind: protocol.PlanChanged, Entries: entries}
}
