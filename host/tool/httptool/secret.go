package httptool

import (
	"slices"

	"github.com/agenthost/agenthost/internal/mask"
)

// minSecret is the minimum length in bytes of a hidden value, because shorter ones may be ordinary words.
const minSecret = 6

// secretsOf returns a mask of the secrets of a configuration: those that it lists, and the credentials in its headers. Places for
// arguments are not secret.
func secretsOf(c *Config) *mask.Mask {
	values := slices.Clone(c.Secrets)
	for name, value := range c.Headers {
		if mask.IsCredential(name) {
			values = append(values, slices.DeleteFunc(mask.Credentials(value), hasPlaces)...)
		}
	}
	return mask.Of(minSecret, values...)
}

// hasPlaces reports whether a text contains places for arguments.
func hasPlaces(text string) bool {
	t, err := parseTemplate(text)
	return err == nil && len(t.names()) > 0
}
