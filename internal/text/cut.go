package text

import (
	"strings"
	"unicode/utf8"
)

// Head returns the longest beginning of a text that has at most limit bytes and ends with a whole character. A text that is not
// UTF-8 is cut before bytes at the limit that look like the middle of a character.
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

// First returns the first n characters of a text.
func First(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for i := range text {
		if n <= 0 {
			return text[:i]
		}
		n--
	}
	return text
}

// Cut returns the first n characters of a text, and "…" if there are more.
func Cut(text string, n int) string {
	if first := First(text, n); len(first) < len(text) {
		return first + "…"
	}
	return text
}

// OneLine returns a text on one line, with single spaces between its words.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
