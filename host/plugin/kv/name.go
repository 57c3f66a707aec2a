package kv

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxName is the length of the longest name that is used in a path unchanged, in bytes. A path has at most three.
const maxName = 200

// nameOf makes a path name from any text, and different names from different texts: thread ids, for example, come from a
// program's users. A text that is long, is invalid in a path, or looks like an encoded name becomes "%" and its digest.
func nameOf(text string) string {
	if text != "" && text[0] != '%' && len(text) <= maxName && utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl) {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	return "%" + hex.EncodeToString(sum[:])
}
