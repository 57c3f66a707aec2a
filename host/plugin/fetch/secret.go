package fetch

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/internal/headerfield"
	"github.com/agenthost/agenthost/internal/mask"
)

const (
	secretOpen  = "${secret:"
	secretClose = "}"
	minSecret   = 8 // a shorter one can be guessed, and hiding it would hide words
	maxSecret   = 4 << 10
)

// String hides the value, so that a policy can be printed.
func (Secret) String() string { return mask.Hidden }

// GoString hides the value.
func (Secret) GoString() string { return mask.Hidden }

// MarshalText hides the value.
func (Secret) MarshalText() ([]byte, error) { return []byte(mask.Hidden), nil }

// secret is a value with the hosts that may receive it.
type secret struct {
	value string
	hosts []pattern
}

// parseSecrets checks the secrets of a policy. Its errors do not reveal any value.
func parseSecrets(secrets map[string]Secret, hosts []pattern) (map[string]secret, error) {
	out := make(map[string]secret, len(secrets))
	for _, name := range slices.Sorted(maps.Keys(secrets)) {
		s := secrets[name]
		granted, err := parsePatterns(s.Hosts)
		if err == nil {
			err = checkSecret(name, s, granted, hosts)
		}
		if err != nil {
			return nil, fmt.Errorf("secret %q: %w", name, err)
		}
		out[name] = secret{s.Value, granted}
	}
	return out, nil
}

func checkSecret(name string, s Secret, granted, hosts []pattern) error {
	switch {
	case !isSecretName(name):
		return errors.New("a name has 1 to 64 letters, digits, hyphens and underscores")
	case len(s.Value) < minSecret || len(s.Value) > maxSecret:
		return fmt.Errorf("its value has %d bytes; it must have %d to %d", len(s.Value), minSecret, maxSecret)
	case !headerfield.IsValue(s.Value) || strings.TrimSpace(s.Value) != s.Value:
		return errors.New("its value has control characters, or spaces at its ends, which a header must not have")
	case len(granted) == 0:
		return errors.New("it is granted to no host; list the hosts that may get it")
	}
	for i, g := range granted {
		if !slices.ContainsFunc(hosts, g.within) {
			return fmt.Errorf("host %q is not within the hosts of the policy; add it there, or grant the secret to fewer hosts", s.Hosts[i])
		}
	}
	return nil
}

func isSecretName(name string) bool {
	for i := range len(name) {
		c := name[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '-' {
			return false
		}
	}
	return name != "" && len(name) <= 64
}

// fill replaces ${secret:NAME} in the value of a header. It fails when the result exceeds room: a guest can write a long
// secret many times.
func (c *Client) fill(value string, to origin, room int) (string, error) {
	if !strings.Contains(value, secretOpen) {
		return value, nil
	}
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(value, secretOpen)
		out.WriteString(before)
		if !found || out.Len() > room {
			return out.String(), nil
		}
		name, after, closed := strings.Cut(rest, secretClose)
		if !closed || !isSecretName(name) {
			return "", invalid("a header has ${secret: without a name and a closing brace")
		}
		s, ok := c.secrets[name]
		if !ok || !grantedBy(s.hosts, to) {
			return "", denied("the secret %s is not granted for %s", name, to)
		}
		out.WriteString(s.value)
		value = after
	}
}

// hasSecret reports whether a header's value refers to a secret.
func hasSecret(value string) bool { return strings.Contains(value, secretOpen) }

// newMask returns a mask that hides the secrets in texts of servers.
func newMask(secrets map[string]secret) *mask.Mask {
	values := make([]string, 0, len(secrets))
	for _, s := range secrets {
		values = append(values, s.value)
	}
	return mask.Of(minSecret, values...)
}

// hide makes a text of a server fit for the guest.
func (c *Client) hide(text string) string { return strings.ToValidUTF8(c.mask.Text(text), "\uFFFD") }
