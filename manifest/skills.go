package manifest

import (
	"context"

	"github.com/agenthost/agenthost/builtin"
	"github.com/agenthost/agenthost/host"
)

// CheckSkills reads the skills of the manifest that are on the disk, and returns what is wrong with them: runs leave such a skill out, or
// use it in part, with a warning.
func (m *Manifest) CheckSkills(ctx context.Context) (warnings []string, err error) {
	for i := range m.Middleware {
		skills, ok := host.Unwrapped(m.Middleware[i].build(m)).(builtin.Skills)
		if !ok {
			continue
		}
		found, err := skills.Check(ctx)
		if err != nil {
			return warnings, err
		}
		warnings = append(warnings, found...)
	}
	return warnings, nil
}
