package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"strings"
)

// fit replaces what providers do not take in the name of a tool: they take letters, digits, _ and -.
func fit(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		default:
			return '_'
		}
	}, name)
}

// nameOf is the name of a tool in the agent. One that is too long ends with a digest of all of it.
func nameOf(prefix, own string) string {
	name := prefix + fit(own)
	if len(name) <= maxName {
		return name
	}
	sum := sha256.Sum256([]byte(own))
	digest := "_" + hex.EncodeToString(sum[:4])
	return name[:maxName-len(digest)] + digest
}

// matches reports whether one of the patterns fits a name. A slash is a character like any other.
func matches(patterns []string, name string) bool {
	const slash = "\x1f"
	name = strings.ReplaceAll(name, "/", slash)
	for _, pattern := range patterns {
		if ok, err := path.Match(strings.ReplaceAll(pattern, "/", slash), name); ok && err == nil {
			return true
		}
	}
	return false
}

// isName reports whether a pattern is the name of one tool.
func isName(pattern string) bool { return !strings.ContainsAny(pattern, `*?[\`) }
