package filetext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// OneLine returns a path for one line of a result. A file name may contain line breaks and other control characters, which
// it replaces by U+FFFD.
func OneLine(name string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return utf8.RuneError
		}
		return c
	}, name)
}
