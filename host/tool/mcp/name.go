package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"strings"
)

// fit replaces characters that providers do not accept in the name of a tool. They accept letters, digits, _ and -.
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

// nameOf returns the agent's name for a tool. If it is too long, it is cut and ends with a digest of the server's own name.
func nameOf(prefix, own string) string {
	name := prefix + fit(own)
	if len(name) <= maxName {
		return name
	}
	sum := sha256.Sum256([]byte(own))
	digest := "_" + hex.EncodeToString(sum[:4])
	return name[:maxName-len(digest)] + digest
}

// matches reports whether a name matches one of the patterns. A slash is an ordinary character.
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

// isName reports whether a pattern is the name of a single tool.
func isName(pattern string) bool { return !strings.ContainsAny(pattern, `*?[\`) }
