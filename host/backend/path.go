package backend

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxPath is the length of the longest path, in bytes.
const maxPath = 4096

// Clean returns the absolute form of a path that a model gave, without ., // and a trailing slash. A relative path begins
// at the root, and a backslash is a slash. It refuses paths with .., home directories and Windows drives.
func Clean(given string) (string, error) {
	if given == "" || len(given) > maxPath || !utf8.ValidString(given) || strings.ContainsFunc(given, isControl) {
		return "", &Error{Path: given, Reason: BadPath}
	}
	slashed := strings.ReplaceAll(given, `\`, "/")
	switch {
	case slices.Contains(strings.Split(slashed, "/"), ".."), strings.HasPrefix(slashed, "~"):
		return "", &Error{Path: given, Reason: Traversal}
	case len(slashed) >= 2 && slashed[1] == ':' && isLetter(slashed[0]):
		return "", &Error{Path: given, Reason: WindowsPath}
	}
	return path.Clean("/" + slashed), nil
}

// isControl reports a character that would break a line of a tool's result.
func isControl(r rune) bool { return r < ' ' || r == 0x7f }

func isLetter(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' }

// Within reports whether a clean path is dir or below it.
func Within(dir, name string) bool {
	return dir == "/" || name == dir || strings.HasPrefix(name, dir+"/")
}

// Relative returns the path from dir to name. For dir itself it returns the last element.
func Relative(dir, name string) string {
	switch {
	case name == dir:
		return path.Base(name)
	case dir == "/":
		return name[1:]
	}
	return name[len(dir)+1:]
}

// comparePaths compares paths in the order of a walk: a slash comes before all other characters.
func comparePaths(a, b string) int {
	for i := range min(len(a), len(b)) {
		switch {
		case a[i] == b[i]:
		case a[i] == '/':
			return -1
		case b[i] == '/':
			return 1
		default:
			return int(a[i]) - int(b[i])
		}
	}
	return len(a) - len(b)
}
