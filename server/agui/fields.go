package agui

import (
	"encoding/json"

	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/runs"
)

// fieldsOf returns the update that leads from the state of the thread to that of the client, which sends all of it each time. What the agent does
// not have or hides is left out.
func fieldsOf(agent *runs.Agent, hidden func(field string) bool, before *host.Snapshot, raw json.RawMessage) (out wire.Map, err error) {
	if !given(raw) || raw[0] != '{' {
		return nil, nil
	}
	var values map[string]json.RawMessage
	if err := json.Unmarshal(raw, &values); err != nil {
		return nil, unprocessable("the state cannot be used: %v", err)
	}
	for _, f := range agent.Fields() {
		text, ok := values[f.Name]
		if !ok || f.HideInput || hidden(f.Name) {
			continue
		}
		value, err := wire.FromJSON(text, wire.Limits{})
		if err != nil {
			return nil, unprocessable("the value of the field %.64q cannot be used: %v", f.Name, err)
		}
		var was wire.Raw
		if before != nil {
			was = before.State.Get(f.Name)
		}
		if was.Equal(value) || was.IsZero() && (value.IsNil() || f.Reducer.Initial.Equal(value)) {
			continue
		}
		out.Set(f.Name, f.Reducer.Update(was, value))
	}
	return out, nil
}
