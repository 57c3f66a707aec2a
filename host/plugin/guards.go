package plugin

import "errors"

// checkGuards refuses a policy that would let a run go on without a plugin that guards something. It warns if the policy does so
// for a plugin that may guard tools, since it wraps their calls.
func (p *Plugin) checkGuards() error {
	var key string
	switch {
	case p.policy == Open:
		key = "on_failure is open"
	case p.breaker != nil:
		key = "it has a breaker"
	default:
		return nil
	}
	switch {
	case p.spec.Guards && !p.accepts:
		return errors.New(key + ", but the plugin guards something: faults would switch its protection off. Remove the key, or set accept_open: true")
	case p.spec.Guards:
		p.logger.Warn(key + ", as accepted: after faults, runs go on without what the plugin protects")
	case p.spec.Hooks.WrapToolCall != nil && !p.accepts:
		p.logger.Warn(key + ", and the plugin wraps tool calls: after faults, they run unchecked. " +
			"If the plugin guards them, remove the key; if not, set accept_open: true")
	}
	return nil
}
