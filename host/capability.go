package host

import "strings"

// Capability is something that a plugin asks for in its description, beyond what every plugin may do. It is for display.
type Capability struct {
	Middleware string `json:"middleware"` // name of the middleware that asks; "outer.inner" for a middleware inside another
	Op         string `json:"op"`         // the operation
	Reason     string `json:"reason"`     // the plugin's own words, without control characters
	Required   bool   `json:"required"`   // the plugin is not loaded without it
	Granted    bool   `json:"granted"`
	Detail     string `json:"detail,omitempty"` // the exact extent of the grant
}

// CallLimits are what one call of a plugin's hook may use. The zero value is that of middleware that is no plugin.
type CallLimits struct {
	Fuel      int64 `json:"fuel"`
	Memory    int64 `json:"memory"`     // of an instance, in bytes
	HostCalls int   `json:"host_calls"` // operations that it asks the host for
}

// Part is a middleware of an agent.
type Part struct {
	Name, Version, Digest string
	Limits                CallLimits
}

// Middleware lists the agent's middleware, the outermost first. It is for display.
func (a *Agent) Middleware() []Part {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := make([]Part, 0, len(a.present.middleware))
	for _, m := range a.present.middleware {
		all = append(all, Part{m.name, m.hooks.Version, m.hooks.Digest, m.hooks.Limits})
	}
	return all
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
