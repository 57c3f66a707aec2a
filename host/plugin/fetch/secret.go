package fetch

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

const (
	secretOpen  = "${secret:"
	secretClose = "}"
	hidden      = "***"
	minSecret   = 8 // a shorter one can be guessed, and hiding it would hide words
	maxSecret   = 4 << 10
)

// String hides the value, so that a policy can be printed.
func (Secret) String() string { return hidden }

// GoString hides the value.
func (Secret) GoString() string { return hidden }

// MarshalText hides the value.
func (Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

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
	case !isHeaderValue(s.Value) || strings.TrimSpace(s.Value) != s.Value:
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

// newRedactor returns a replacer that hides the secrets in texts of servers, or nil if there are none.
func newRedactor(secrets map[string]secret) *strings.Replacer {
	forms := map[string]bool{}
	for _, s := range secrets {
		for _, form := range encodings(s.value) {
			forms[form] = true
		}
	}
	if len(forms) == 0 {
		return nil
	}
	longestFirst := slices.SortedFunc(maps.Keys(forms), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b))
	})
	pairs := make([]string, 0, 2*len(longestFirst))
	for _, form := range longestFirst {
		pairs = append(pairs, form, hidden)
	}
	return strings.NewReplacer(pairs...)
}

// jsonString escapes as most programs do; encoding/json also escapes <, > and &.
var jsonString = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\t", `\t`)

// encodings returns the forms in which programs pass on a text by accident.
func encodings(value string) []string {
	b := []byte(value)
	quoted, _ := json.Marshal(value) //nolint:errchkjson // a string
	forms := make([]string, 0, 18)
	forms = append(forms, value, jsonString.Replace(value), string(quoted[1:len(quoted)-1]), url.QueryEscape(value), url.PathEscape(value),
		hex.EncodeToString(b), strings.ToUpper(hex.EncodeToString(b)))
	for _, e := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		forms = append(forms, e.EncodeToString(b), e.WithPadding(base64.NoPadding).EncodeToString(b))
		// Inside a longer text, as in "user:password", the value begins at one of three places in a group. Drop its first
		// and last letters, which also depend on the neighbors.
		for shift := range 3 {
			text := e.EncodeToString(append(make([]byte, shift), value...))
			forms = append(forms, text[(shift*8+5)/6:(shift+len(value))*8/6])
		}
	}
	return forms
}

// hide makes a text of a server fit for the guest.
func (c *Client) hide(text string) string {
	if c.redactor != nil {
		text = c.redactor.Replace(text)
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// hideBytes hides secrets in a body, which need not be text.
func (c *Client) hideBytes(body []byte) []byte {
	if c.redactor == nil || len(body) == 0 {
		return body
	}
	return []byte(c.redactor.Replace(string(body)))
}
