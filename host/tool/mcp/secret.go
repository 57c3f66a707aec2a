package mcp

import (
	"slices"
	"sync"

	"github.com/agenthost/agenthost/internal/mask"
	"github.com/agenthost/agenthost/internal/terminal"
)

// minSecret is the minimum length in bytes of a hidden value, because shorter ones may be ordinary words.
const minSecret = 6

// maxSecretTokens is how many access tokens are hidden: the last ones.
const maxSecretTokens = 8

// secrets hides the values given to a server, and its access tokens, from errors and logs.
type secrets struct {
	values []string

	mu     sync.Mutex
	tokens []string
	mask   *mask.Mask
}

func (c *Config) secrets() *secrets {
	var values []string
	for _, value := range c.Env {
		values = append(values, value)
	}
	for _, value := range c.Headers {
		values = append(append(values, value), mask.Credentials(value)...)
	}
	values = append(values, c.Secrets...)
	values = append(values, mask.Arguments(c.Command)...)
	return &secrets{values: values, mask: mask.Of(minSecret, values...)}
}

// add hides an access token.
func (s *secrets) add(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if token == "" || slices.Contains(s.tokens, token) {
		return
	}
	s.tokens = append(s.tokens, token)
	s.tokens = s.tokens[max(0, len(s.tokens)-maxSecretTokens):]
	s.mask = mask.Of(minSecret, slices.Concat(s.values, s.tokens)...)
}

// line makes a server's text safe to use within a line of a log or an error.
func (s *secrets) line(text string) string {
	s.mu.Lock()
	hide := s.mask
	s.mu.Unlock()
	return terminal.Line(hide.Text(text))
}
