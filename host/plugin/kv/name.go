package kv

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxName is the length of the longest name that stands in a path as it is, in bytes. A path has three at the most.
const maxName = 200

// nameOf makes a name in a path of any text, and of two texts two names: ids of threads, for example, are what the users of
// a program say. What cannot be in a path, is long, or looks like one of these, is "%" with its digest.
func nameOf(text string) string {
	if text != "" && text[0] != '%' && len(text) <= maxName && utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl) {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	return "%" + hex.EncodeToString(sum[:])
}
