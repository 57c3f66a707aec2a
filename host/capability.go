package host

import "strings"

// Capability is something that a plugin asked for in its Description beyond what every plugin may do. It is for people.
type Capability struct {
	Middleware string `json:"middleware"` // who asked; behind a dot, one inside of it
	Op         string `json:"op"`         // the operation
	Reason     string `json:"reason"`     // as the plugin gives it, cleaned of control characters
	Required   bool   `json:"required"`   // it is not loaded without
	Granted    bool   `json:"granted"`
	Detail     string `json:"detail,omitempty"` // what exactly is granted
}

// Capabilities lists what the agent's middleware asked for, and whether it was granted.
func (a *Agent) Capabilities() []Capability {
	a.mu.Lock()
	defer a.mu.Unlock()
	var all []Capability
	for _, m := range a.present.middleware {
		for _, c := range m.hooks.Capabilities {
			c.Middleware = strings.TrimSuffix(m.name+"."+c.Middleware, ".")
			all = append(all, c)
		}
	}
	return all
}
