package plugin

import (
	"github.com/agenthost/agenthost/abi/wire"
	"github.com/agenthost/agenthost/internal/schema"
)

// ConfigError means that the operator's configuration of a plugin does not fit the schema in the plugin's Description.
type ConfigError struct {
	Message string   // what is wrong
	Pointer string   // a JSON pointer (RFC 6901) to the wrong part of the configuration; "" for the whole
	Unknown bool     // the plugin has no key such as the one at Pointer
	Known   []string // if Unknown: the keys that the plugin has there
	Problem string   // what is wrong with the part at Pointer, without its place
}

func (e *ConfigError) Error() string { return "config: " + e.Message }

// configError returns a [*ConfigError], or nil if the configuration fits. The names in its texts come from the schema of a guest.
func configError(s *schema.Schema, config wire.Raw) error {
	err := s.Validate(config)
	if err == nil {
		return nil
	}
	e := &ConfigError{Message: cleanLines(err.Error(), 1000)}
	e.Problem = e.Message
	if part := s.Misfit(config); part != nil {
		e.Pointer, e.Unknown, e.Problem = part.Pointer, part.Unknown, cleanLines(part.Problem, 1000)
		for _, name := range part.Known {
			e.Known = append(e.Known, clean(name, 100))
		}
	}
	return e
}
