package httptool

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// minSecret is the minimum length in bytes of a hidden value, because shorter ones may be ordinary words.
const minSecret = 6

// secrets hides values from everything that comes back.
type secrets struct {
	values   []string
	replacer *strings.Replacer // nil: there are none
}

// secretsOf returns the secrets of a configuration: those that it lists, and the credentials in its headers.
func secretsOf(c *Config) secrets {
	values := slices.Clone(c.Secrets)
	for name, value := range c.Headers {
		if isCredential(name) {
			values = append(values, credentials(value)...)
		}
	}
	values = slices.DeleteFunc(values, func(value string) bool { return len(value) < minSecret })
	forms := map[string]bool{}
	for _, value := range values {
		for _, form := range formsOf(value) {
			if len(form) >= minSecret {
				forms[form] = true
			}
		}
	}
	if len(forms) == 0 {
		return secrets{}
	}
	longestFirst := slices.SortedFunc(maps.Keys(forms), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b))
	})
	pairs := make([]string, 0, 2*len(longestFirst))
	for _, form := range longestFirst {
		pairs = append(pairs, form, "***")
	}
	return secrets{values, strings.NewReplacer(pairs...)}
}

// isCredential reports whether a header identifies the sender.
func isCredential(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc([]string{"authorization", "x-auth", "cookie", "key", "token", "secret", "password"}, func(word string) bool {
		return strings.Contains(name, word)
	})
}

// credentials returns the secret parts of a header's value: the value without its scheme, each cookie by itself, and the
// decoded content of Basic. Places for arguments are not secret.
func credentials(value string) (values []string) {
	for part := range strings.FieldsFuncSeq(value, func(r rune) bool { return r == ' ' || r == ';' || r == ',' }) {
		if t, err := parseTemplate(part); err == nil && len(t.names()) > 0 {
			continue
		}
		values = append(values, part)
		if _, inner, ok := strings.Cut(part, "="); ok {
			values = append(values, strings.Trim(inner, `"`))
		}
	}
	scheme, encoded, _ := strings.Cut(value, " ")
	if text, err := base64.StdEncoding.DecodeString(encoded); err == nil && strings.EqualFold(scheme, "basic") {
		_, password, _ := strings.Cut(string(text), ":")
		values = append(values, string(text), password)
	}
	return slices.DeleteFunc(values, func(value string) bool {
		return slices.Contains([]string{"basic", "bearer", "digest", "apikey", "api-key"}, strings.ToLower(value))
	})
}

// formsOf returns a value and the encodings in which programs leak a text by accident.
func formsOf(value string) []string {
	quoted, _ := json.Marshal(value) //nolint:errchkjson // a string
	forms := append(make([]string, 0, 14),
		value, string(quoted[1:len(quoted)-1]), strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value),
		url.QueryEscape(value), url.PathEscape(value), queryEscape(value),
		hex.EncodeToString([]byte(value)), strings.ToUpper(hex.EncodeToString([]byte(value))),
	)
	// A text in base64 starts at one of three offsets in a group; the characters it shares with its neighbours are left out.
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for shift := range 3 {
			text := encoding.EncodeToString([]byte(strings.Repeat("\x00", shift) + value))
			forms = append(forms, text[(shift*8+5)/6:(shift+len(value))*8/6])
		}
	}
	return forms
}

// hide replaces the secrets in a text.
func (s secrets) hide(text string) string {
	if s.replacer == nil {
		return text
	}
	return s.replacer.Replace(text)
}

// in reports whether a text contains a secret.
func (s secrets) in(text string) bool { return s.hide(text) != text }
