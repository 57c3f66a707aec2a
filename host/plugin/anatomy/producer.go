package anatomy

import "github.com/agenthost/agenthost/internal/wasmbin"

// Producer is something that took part in making the module, according to the section "producers".
type Producer struct {
	Role    string `json:"role"` // language, processed-by or sdk
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

// maxProducers is how many producers are listed.
const maxProducers = 64

// producers reads the content of the section. It returns nil if the content is malformed, which does no harm.
func producers(content []byte) []Producer {
	var all []Producer
	c := wasmbin.NewCursor(content)
	for range c.Count("fields", 2) {
		role := c.Name("a field", c.Left())
		for range c.Count("values", 2) {
			all = append(all, Producer{Role: role, Name: c.Name("a value", c.Left()), Version: c.Name("a version", c.Left())})
			if c.Err() != nil || len(all) > maxProducers {
				return nil
			}
		}
	}
	if c.Err() != nil {
		return nil
	}
	return all
}
