package provider

import (
	"maps"
	"slices"
	"strings"

	"github.com/agenthost/agenthost/host/model"
)

// CheckHeaders refuses headers that HTTP does not allow.
func CheckHeaders(name string, headers map[string]string) error {
	for _, header := range slices.Sorted(maps.Keys(headers)) {
		switch {
		case header == "" || strings.ContainsFunc(header, func(r rune) bool { return !isTokenRune(r) }):
			return Unsendable(name, &model.HeaderError{Header: header, Problem: "is not a valid name; use letters, digits and \"-\""})
		case strings.ContainsFunc(headers[header], func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }):
			return Unsendable(name, &model.HeaderError{Header: header, Problem: "has a value with a line break or another control character; remove it"})
		}
	}
	return nil
}

// isTokenRune reports whether the name of a header may contain a rune: see RFC 9110, section 5.6.2.
func isTokenRune(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", r)
}
