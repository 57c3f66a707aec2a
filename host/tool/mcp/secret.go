package mcp

import (
	"slices"
	"strings"

	"github.com/agenthost/agenthost/internal/terminal"
)

// minSecret is the minimum length in bytes of a hidden value, because shorter ones may be ordinary words.
const minSecret = 6

// secrets hides the values given to a server from errors and logs.
type secrets struct{ replacer *strings.Replacer }

func (c *Config) secrets() secrets {
	var values []string
	for _, given := range []map[string]string{c.Env, c.Headers} {
		for _, value := range given {
			values = append(values, value)
			if _, token, ok := strings.Cut(value, " "); ok { // Bearer …
				values = append(values, token)
			}
		}
	}
	values = slices.DeleteFunc(values, func(value string) bool { return len(value) < minSecret })
	slices.SortFunc(values, func(a, b string) int { return len(b) - len(a) })
	pairs := make([]string, 0, 2*len(values))
	for _, value := range values {
		pairs = append(pairs, value, "***")
	}
	return secrets{strings.NewReplacer(pairs...)}
}

// line makes a server's text safe to use within a line of a log or an error.
func (s secrets) line(text string) string { return terminal.Line(s.replacer.Replace(text)) }
