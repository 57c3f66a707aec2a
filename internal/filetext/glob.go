package filetext

import (
	"fmt"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

const (
	maxGlob         = 1000 // bytes of a pattern
	maxAlternatives = 1000 // patterns that its braces expand to
)

// Glob matches paths with slashes. In a pattern, * and ? match any characters and one character between two slashes,
// [a-z] matches one character of a set, ** matches any number of directories, and {a,b} matches either alternative. A
// backslash makes the next character literal.
type Glob struct {
	pattern string
	base    bool     // matches the last element of a path only
	hidden  []string // segments of the pattern that match hidden names; used if strict
	strict  bool     // hidden names match only these segments
}

// GlobError is a malformed pattern. Its text is written for the model.
type GlobError string

func (e GlobError) Error() string { return string(e) }

// ParseGlob returns a glob that matches a whole path.
func ParseGlob(pattern string) (Glob, error) { return Glob{pattern: pattern}, checkGlob(pattern) }

// ParseSearchGlob returns a glob for paths below the directory of a search. A pattern without a slash matches names at any
// depth, a pattern with a slash matches the whole relative path, and a leading slash means the directory itself.
func ParseSearchGlob(pattern string) (Glob, error) {
	if err := checkGlob(pattern); err != nil {
		return Glob{}, err
	}
	return Glob{pattern: strings.TrimPrefix(strings.TrimLeft(pattern, "/"), "./"), base: !strings.Contains(pattern, "/")}, nil
}

// Strict returns a glob that matches a hidden name, which begins with a dot, only where the pattern has a segment for hidden
// names. Without it, * and ** match hidden names too.
func (g Glob) Strict() Glob {
	g.strict = true
	for segment := range strings.SplitSeq(g.pattern, "/") {
		if strings.HasPrefix(segment, ".") || strings.Contains(segment, "{.") || strings.Contains(segment, ",.") {
			g.hidden = append(g.hidden, segment)
		}
	}
	return g
}

// Match reports whether a path matches.
func (g Glob) Match(name string) bool {
	if g.base {
		name = path.Base(name)
	}
	return matches(g.pattern, name) && (!g.strict || g.allowsHidden(name))
}

// allowsHidden reports whether the pattern has a segment for each hidden name on a path.
func (g Glob) allowsHidden(relative string) bool {
	for name := range strings.SplitSeq(relative, "/") {
		if strings.HasPrefix(name, ".") && !g.matchesHidden(name) {
			return false
		}
	}
	return true
}

func (g Glob) matchesHidden(name string) bool {
	for _, segment := range g.hidden {
		if matches(segment, name) {
			return true
		}
	}
	return false
}

// String returns the pattern.
func (g Glob) String() string { return g.pattern }

// IsLiteral reports whether the pattern can match only one path.
func (g Glob) IsLiteral() bool { return !strings.ContainsAny(g.pattern, `*?[{\`) }

// checkGlob bounds the cost of a match: the cost of each alternative is bounded by the lengths of pattern and path.
func checkGlob(pattern string) error {
	if pattern == "" || len(pattern) > maxGlob {
		return fmt.Errorf("a glob must have 1 to %d bytes", maxGlob)
	}
	if !doublestar.ValidatePattern(pattern) {
		return GlobError(fmt.Sprintf("%q has a bracket, a brace or a backslash that does not end", pattern))
	}
	alternatives := 1
	var open []int // for each open brace, the number of its alternatives
	for i := 0; i < len(pattern); i++ {
		c, last := pattern[i], len(open)-1
		switch {
		case c == '\\':
			i++ // the next character is literal
		case c == '{':
			open = append(open, 1)
		case c == ',' && last >= 0:
			open[last]++
		case c == '}' && last >= 0:
			alternatives *= open[last]
			open = open[:last]
		}
		if alternatives > maxAlternatives {
			return GlobError(fmt.Sprintf("%q stands for more than %d patterns", pattern, maxAlternatives))
		}
	}
	return nil
}

// matches treats an error as no match: doublestar reports some malformed patterns only when it reaches them.
func matches(pattern, name string) bool {
	ok, err := doublestar.Match(pattern, name)
	return ok && err == nil
}
