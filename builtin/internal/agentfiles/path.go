package agentfiles

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxPath bounds a path, in bytes.
const maxPath = 4096

// Clean turns a path that a model gave into an absolute one without . and // and a slash at its end. A relative path
// begins at the root, and a backslash is a slash. What leads upwards, a home directory and a drive of Windows are refused.
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

// isControl reports a character that no path of a tool's result should have: it would break a line.
func isControl(r rune) bool { return r < ' ' || r == 0x7f }

func isLetter(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' }

// Within reports whether a clean path is dir, or below it.
func Within(dir, name string) bool {
	return dir == "/" || name == dir || strings.HasPrefix(name, dir+"/")
}

// Relative returns the path below dir that leads to name; of dir itself, its last part.
func Relative(dir, name string) string {
	switch {
	case name == dir:
		return path.Base(name)
	case dir == "/":
		return name[1:]
	}
	return name[len(dir)+1:]
}
