package protocol

import (
	"encoding/json"
	"time"
)

// Frame is one event of the protocol.
type Frame struct {
	Place
	Method    string
	Channel   string
	Namespace []string // nil: that of the run
	Node      string   // the step that led to it; "": none
	Time      time.Time
	Data      json.RawMessage
}

// envelope is the JSON form of a frame.
type envelope struct {
	Type   string `json:"type"`
	ID     string `json:"event_id"`
	Seq    uint64 `json:"seq"`
	Method string `json:"method"`
	Params params `json:"params"`
}

type params struct {
	Namespace []string        `json:"namespace"`
	Timestamp int64           `json:"timestamp"` // milliseconds since 1970
	Node      string          `json:"node,omitempty"`
	Data      json.RawMessage `json:"data"`
}

// MarshalJSON returns the frame as clients get it.
func (f *Frame) MarshalJSON() ([]byte, error) {
	namespace := f.Namespace
	if namespace == nil {
		namespace = []string{}
	}
	return json.Marshal(envelope{
		Type: "event", ID: f.String(), Seq: f.Seq(), Method: f.Method,
		Params: params{Namespace: namespace, Timestamp: f.Time.UnixMilli(), Node: f.Node, Data: f.Data},
	})
}
