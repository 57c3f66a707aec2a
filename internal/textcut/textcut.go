// Package textcut cuts texts that are too long.
package textcut

import "unicode/utf8"

// Head returns the longest beginning of a text that has at most limit bytes and ends with a whole character. What is no
// UTF-8 is cut before the bytes at the limit that look like the middle of a character.
func Head[T ~string | ~[]byte](text T, limit int) T {
	if len(text) <= limit {
		return text
	}
	end := max(limit, 0)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}
