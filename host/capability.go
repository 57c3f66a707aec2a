package host

import (
	"slices"
	"strings"

	"github.com/agenthost/agenthost/host/checkpoint"
)

// Capability is something that a plugin asks for in its description, beyond what every plugin may do. It is for display.
type Capability struct {
	Middleware string `json:"middleware"` // name of the middleware that asks; "outer.inner" for a middleware inside another
	Op         string `json:"op"`         // the operation
	Reason     string `json:"reason"`     // the plugin's own words, without control characters
	Required   bool   `json:"required"`   // the plugin is not loaded without it
	Granted    bool   `json:"granted"`
	Detail     string `json:"detail,omitempty"` // the exact extent of the grant
}

// Middleware lists the agent's middleware, the outermost first, with versions and the digests of plugins.
func (a *Agent) Middleware() []checkpoint.Part {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.present.identity.Middleware)
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
