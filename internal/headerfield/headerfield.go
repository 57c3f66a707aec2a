// Package headerfield says what HTTP allows as the name and the value of a header: see RFC 9110, section 5.
package headerfield

import "strings"

// IsName reports whether a text is a token, as the names of headers are.
func IsName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool { return !isTokenRune(r) })
}

func isTokenRune(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", r)
}

// IsValue reports whether a text has no control characters other than tabs. A line break would start another header.
func IsValue(value string) bool {
	return !strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}
