package cases

import (
	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/model"
	"github.com/agenthost/agenthost/host/question"
)

// Outcome is what came of a turn.
type Outcome struct {
	Status   host.Status
	Error    string        // of a failed run; "": none
	Answer   string        // see [host.Result.Answer]
	Messages []abi.Message // those that the turn added, after the user's, also if a middleware has removed them since
	State    wire.Map
	Waits    []*question.Question // what the run waits for
	Next     string               // the step before which the run stopped
	Unused   []string             // answers of the turn that nobody asked for

	Used Used

	Files map[string]string   // the content of those that the turn expects something of, by their paths; the others are not there
	Store map[string]wire.Raw // the values that the turn expects something of, by [StoredValue.Place]
}

// Used is what a turn used.
type Used struct {
	ModelCalls int       `json:"model_calls"` // also those of hooks and inner agents
	ToolCalls  int       `json:"tool_calls"`  // those that the model made
	Steps      int       `json:"steps"`
	Usage      abi.Usage `json:"usage"` // sum over the model calls

	Cost     model.Amount `json:"cost,omitempty"`     // of the model calls, in the currency of the manifest's prices
	Unpriced int          `json:"unpriced,omitempty"` // model calls whose cost is unknown
}

// call is a call of a tool that the model made, with its result.
type call struct {
	abi.ToolCall
	result *abi.Message // nil: there is none
}

// calls returns the calls of tools that the model made, in their order.
func (o *Outcome) calls() (out []call) {
	for i := range o.Messages {
		for _, made := range o.Messages[i].ToolCalls {
			out = append(out, call{made, o.result(i, made.ID)})
		}
	}
	return out
}

// result returns the first answer to a call after the message that made it.
func (o *Outcome) result(after int, id string) *abi.Message {
	for i := after + 1; i < len(o.Messages); i++ {
		if m := &o.Messages[i]; m.Role == abi.RoleTool && m.ToolCallID == id {
			return m
		}
	}
	return nil
}

// Add returns the sum of two.
func (u Used) Add(other Used) Used {
	return Used{
		ModelCalls: u.ModelCalls + other.ModelCalls, ToolCalls: u.ToolCalls + other.ToolCalls, Steps: u.Steps + other.Steps, Usage: u.Usage.Add(other.Usage),
		Cost: model.Cost{Amount: u.Cost}.Add(model.Cost{Amount: other.Cost}).Amount, Unpriced: u.Unpriced + other.Unpriced,
	}
}
