package reference

import (
	"fmt"

	"github.com/agenthost/agenthost/builtin"
)

// Unbuilt says why a vector cannot be run yet: it needs something that does not exist. "" if it can be run.
func (v *Vector) Unbuilt() string {
	for i := range v.Agent.Middleware {
		if m := &v.Agent.Middleware[i]; m.Probe == nil {
			if _, ok := builtin.Lookup(m.Type); !ok {
				return fmt.Sprintf("the middleware %s is not built yet", m.Type)
			}
		}
	}
	switch {
	case v.Agent.ResponseFormat != nil:
		return "structured output is not built yet"
	case len(v.Agent.InterruptBefore)+len(v.Agent.InterruptAfter) > 0:
		return "static breakpoints are not built yet"
	case v.needsMemory():
		return "threads are not built yet"
	}
	return ""
}

// needsMemory reports whether a run builds on an earlier one of its thread.
func (v *Vector) needsMemory() bool {
	begun := map[string]bool{}
	for i := range v.Runs {
		run := &v.Runs[i]
		if !run.fresh() {
			return true
		}
		if v.Agent.Checkpointer && run.Thread != "" && begun[run.Thread] {
			return true
		}
		begun[run.Thread] = true
	}
	return false
}
