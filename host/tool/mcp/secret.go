package mcp

import (
	"slices"
	"strings"
	"sync"

	"github.com/agenthost/agenthost/internal/headerfield"
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
	values = append(values, secretArguments(c.Command)...)
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

// secretArguments returns the arguments of a command that a flag names as secret: --api-key VALUE, --token=VALUE, API_KEY=VALUE, and
// headers such as "Authorization: Bearer VALUE".
func secretArguments(command []string) (values []string) {
	named := false // whether the flag before is named like a secret
	for _, argument := range command[min(1, len(command)):] {
		name, value, assigned := strings.Cut(argument, "=")
		header, content, isHeader := strings.Cut(argument, ":")
		switch {
		case named && !strings.HasPrefix(argument, "-"):
			values = append(values, argument)
		case assigned && mask.IsCredential(name):
			values = append(values, value)
		case isHeader && headerfield.IsName(header) && mask.IsCredential(header):
			values = append(values, mask.Credentials(strings.TrimSpace(content))...)
		}
		named = strings.HasPrefix(argument, "-") && !assigned && mask.IsCredential(argument)
	}
	return values
}

// line makes a server's text safe to use within a line of a log or an error.
func (s *secrets) line(text string) string {
	s.mu.Lock()
	hide := s.mask
	s.mu.Unlock()
	return terminal.Line(hide.Text(text))
}
