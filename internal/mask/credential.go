package mask

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// IsCredential reports whether a header or a parameter with this name identifies the sender.
func IsCredential(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc([]string{"authorization", "x-auth", "cookie", "key", "token", "secret", "password"}, func(word string) bool {
		return strings.Contains(name, word)
	})
}

// schemes are words in credentials that are not secret.
var schemes = []string{"basic", "bearer", "digest", "apikey", "api-key", "token"}

// Credentials returns the secret parts of the value of a header: the value without its scheme, each cookie by itself, and the decoded
// content of Basic.
func Credentials(value string) []string {
	scheme, encoded, _ := strings.Cut(value, " ")
	values := []string{value}
	if slices.Contains(schemes, strings.ToLower(scheme)) {
		values[0] = strings.TrimSpace(encoded)
	}
	for part := range strings.FieldsFuncSeq(value, func(r rune) bool { return r == ' ' || r == ';' || r == ',' }) {
		values = append(values, part)
		if _, inner, ok := strings.Cut(part, "="); ok {
			values = append(values, strings.Trim(inner, `"`))
		}
	}
	if text, err := base64.StdEncoding.DecodeString(encoded); err == nil && strings.EqualFold(scheme, "basic") {
		_, password, _ := strings.Cut(string(text), ":")
		values = append(values, string(text), password)
	}
	return slices.DeleteFunc(values, func(value string) bool { return slices.Contains(schemes, strings.ToLower(value)) })
}

// OfRequest returns the secrets in a request's header and address.
func OfRequest(header http.Header, address *url.URL) []string {
	var values []string
	for name, lines := range header {
		if IsCredential(name) {
			for _, line := range lines {
				values = append(values, Credentials(line)...)
			}
		}
	}
	if password, ok := address.User.Password(); ok {
		values = append(values, password)
	}
	for name, given := range address.Query() {
		if IsCredential(name) {
			values = append(values, given...)
		}
	}
	return values
}
