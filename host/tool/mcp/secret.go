package mcp

import (
	"github.com/agenthost/agenthost/internal/mask"
	"github.com/agenthost/agenthost/internal/terminal"
)

// minSecret is the minimum length in bytes of a hidden value, because shorter ones may be ordinary words.
const minSecret = 6

// secrets hides the values given to a server from errors and logs.
type secrets struct{ mask *mask.Mask }

func (c *Config) secrets() secrets {
	var values []string
	for _, value := range c.Env {
		values = append(values, value)
	}
	for _, value := range c.Headers {
		values = append(append(values, value), mask.Credentials(value)...)
	}
	return secrets{mask.Of(minSecret, values...)}
}

// line makes a server's text safe to use within a line of a log or an error.
func (s secrets) line(text string) string { return terminal.Line(s.mask.Text(text)) }
