package door

import "github.com/agenthost/agenthost/host"

// Hidden returns which fields of an agent's state clients do not see. All of them are hidden if the server does not have the agent.
func (d *Door) Hidden(agent string) func(field string) bool {
	a, err := d.Service.Agent(agent)
	if err != nil {
		return func(string) bool { return true }
	}
	hide := map[string]bool{}
	for _, f := range a.Fields() {
		hide[f.Name] = f.HideOutput
	}
	return func(name string) bool {
		hidden, declared := hide[name]
		return hidden || !declared || host.ReservedField(name)
	}
}
