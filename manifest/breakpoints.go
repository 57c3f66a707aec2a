package manifest

import (
	"github.com/agenthost/agenthost/internal/strictyaml"
)

// breakpoint is the name of a step before or after which runs stop.
type breakpoint struct {
	step string
	node strictyaml.Node
}

// UnmarshalStrict decodes the name. Building the agent reports a step that does not exist.
func (b *breakpoint) UnmarshalStrict(n strictyaml.Node) error {
	b.node = n
	return n.Decode(&b.step)
}

func steps(breakpoints []breakpoint) []string {
	names := make([]string, len(breakpoints))
	for i := range breakpoints {
		names[i] = breakpoints[i].step
	}
	return names
}
