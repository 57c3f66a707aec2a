package host

import (
	"strings"
	"time"
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

// Sandbox is how a plugin is held, for display.
type Sandbox struct {
	Limits   CallLimits `json:"limits"`
	SignedBy string     `json:"signed_by,omitempty"` // the public key whose signature of the module was checked; "": none was wanted
	Breaker  *Breaker   `json:"breaker,omitempty"`   // when the plugin is bypassed; nil: never
	// Instances is how many instances of the plugin there are, in use or free.
	Instances int `json:"-"`
}

// CallLimits are what one call of a plugin's hook may use.
type CallLimits struct {
	Fuel      int64 `json:"fuel"`
	Memory    int64 `json:"memory"`     // of an instance, in bytes
	HostCalls int   `json:"host_calls"` // operations that it asks the host for
}

// Breaker says when a plugin that keeps failing is bypassed, and whether it is. Each process counts for itself.
type Breaker struct {
	Faults int           `json:"faults"`             // the number of faults that opens it
	Window time.Duration `json:"window"`             // within which they count, and how long it stays open; nanoseconds in JSON
	Recent int           `json:"recent,omitempty"`   // faults within the present window
	Open   time.Duration `json:"open_for,omitempty"` // how much longer the plugin is bypassed, nanoseconds in JSON; 0: it is called
}

// Part is a middleware of an agent.
type Part struct {
	Name, Version, Digest string
	Sandbox               *Sandbox // how a plugin is held; nil for native middleware
}

// Middleware lists the agent's middleware, the outermost first. It is for display.
func (a *Agent) Middleware() []Part {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := make([]Part, 0, len(a.present.middleware))
	for _, m := range a.present.middleware {
		part := Part{Name: m.name, Version: m.hooks.Version, Digest: m.hooks.Digest}
		if m.hooks.Sandbox != nil {
			part.Sandbox = m.hooks.Sandbox(a.present.now())
		}
		all = append(all, part)
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
