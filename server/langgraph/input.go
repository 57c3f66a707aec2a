package langgraph

import (
	"encoding/json"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/runs"
	"github.com/agenthost/agenthost/server/internal/langchain"
)

// input is what a client wants to add to the state.
type input struct {
	langchain.Input

	State wire.Map
}

// readInput reads an input or an update: an object with messages and fields, or a list of pairs of a name and a value. Fields that the agent
// does not have are left out, as LangGraph does.
func readInput(agent *runs.Agent, raw json.RawMessage) (*input, error) {
	out := &input{}
	if !given(raw) {
		return out, nil
	}
	members, err := membersOf(raw)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, f := range agent.Fields() {
		known[f.Name] = true
	}
	for _, m := range members {
		switch {
		case m.name == "messages" && given(m.value):
			read, err := langchain.Read(m.value)
			if err != nil {
				return nil, err
			}
			out.Input = *read
		case known[m.name]:
			value, err := wire.FromJSON(m.value, wire.Limits{})
			if err != nil {
				return nil, unprocessable("the value of %.64q cannot be used: %v", m.name, err)
			}
			out.State.Set(m.name, value)
		}
	}
	return out, nil
}

type member struct {
	name  string
	value json.RawMessage
}

func membersOf(raw json.RawMessage) (out []member, err error) {
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) == nil {
		for name, value := range object {
			out = append(out, member{name, value})
		}
		return out, nil
	}
	var pairs [][]json.RawMessage
	if err := json.Unmarshal(raw, &pairs); err != nil {
		return nil, unprocessable("an input must be an object with messages and fields of the agent")
	}
	for _, pair := range pairs {
		var name string
		if len(pair) != 2 || json.Unmarshal(pair[0], &name) != nil {
			return nil, unprocessable("a list of updates must have pairs of a name and a value")
		}
		out = append(out, member{name, pair[1]})
	}
	return out, nil
}

// begin makes the input of a task out of it.
func (in *input) begin(t *runs.Task) {
	t.Messages, t.State = in.Messages, in.State
	if t.Messages == nil {
		t.Messages = []abi.Message{}
	}
	if len(in.Remove) > 0 || in.Reset {
		t.Remove, t.Overwrite, t.As = in.Remove, in.Reset, "input"
	}
}
