package host

import (
	"strings"

	"github.com/agenthost/agenthost/abi"
)

// Approvable returns the middleware that asks in a step, and the spec of a tool, if that middleware honours standing approvals of
// the tool's calls, see [Hooks.Approves]. ok is false if the step is not a hook of such a middleware, or there is no such tool.
func (a *Agent) Approvable(step, tool string) (middleware string, spec abi.ToolSpec, ok bool) {
	at := strings.LastIndexByte(step, '.')
	if at < 0 {
		return "", spec, false
	}
	a.mu.Lock()
	present := a.present
	a.mu.Unlock()
	t := present.tools.byName[tool]
	if t == nil {
		return "", spec, false
	}
	for _, m := range present.middleware {
		if m.name == step[:at] {
			return m.name, t.spec, m.hooks.Approves != nil && m.hooks.Approves(tool)
		}
	}
	return "", spec, false
}
