package text

import "strings"

// Words splits a line into words at blanks. Double quotes keep words together; ok is false if one is not closed.
func Words(line string) (words []string, ok bool) {
	var word strings.Builder
	quoted, started := false, false
	for _, r := range line {
		switch {
		case r == '"':
			quoted, started = !quoted, true
		case !quoted && strings.ContainsRune(" \t\n", r):
			if started {
				words = append(words, word.String())
			}
			word.Reset()
			started = false
		default:
			word.WriteRune(r)
			started = true
		}
	}
	if started {
		words = append(words, word.String())
	}
	return words, !quoted
}
