package doortest

import (
	"encoding/json"

	"github.com/agenthost/agenthost/runs"
)

// Event returns an event of a run whose data is the whole JSON form of an event, or something else that a store should not have.
func Event(run string, seq uint64, data []byte) *runs.Event {
	var named struct {
		Type string `json:"type"`
	}
	_ = json.Unmarshal(data, &named)
	return &runs.Event{Run: run, Seq: seq, Type: named.Type, Data: data}
}
