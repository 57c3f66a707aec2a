package host

import (
	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host/history"
)

// Input starts a run.
type Input struct {
	Thread   string         // which thread the run belongs to; "": none
	Messages []abi.Message  // what is new; usually one human message
	State    map[string]any // values of fields, as [Encode] takes them
	Context  any            // for hooks and tools, see [ContextAs]
}

// Result is what a run led to. A run that fails has one too: what it had until then.
type Result struct {
	RunID      string
	Thread     string
	Status     Status
	Messages   history.List
	State      wire.Map    // the fields that are not hidden
	Interrupts []Interrupt // what an interrupted run waits for
	Usage      abi.Usage   // the sum over the run's model calls
	Steps      int
}

// Interrupt is a question of a hook or tool to the outside world.
type Interrupt struct {
	Step   string   `json:"step"`              // of the hook or tool that asks
	CallID string   `json:"call_id,omitempty"` // of the tool call that it concerns
	Key    string   `json:"key"`
	Value  wire.Raw `json:"value"`
}

// Text returns the text of the last AI message; "" if there is none.
func (r *Result) Text() string {
	at := r.Messages.LastAI()
	if at < 0 {
		return ""
	}
	m := r.Messages.At(at)
	return m.Content.Text()
}
