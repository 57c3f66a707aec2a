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
	return ""
}
