package agentfiles

import (
	"fmt"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

const (
	maxGlob         = 1000 // bytes of a pattern
	maxAlternatives = 1000 // that its braces may stand for together
)

// Glob matches paths relative to the directory that is searched, as deepagents does: * and ? stand for what is between two
// slashes, [a-z] for a letter, ** for any number of directories and {a,b} for either. A pattern without a slash is compared
// with the name of a file at any depth, another with the whole relative path; one that begins with a slash begins at the
// directory. Names that begin with a dot match only where the pattern has a segment for them that does so too.
type Glob struct {
	pattern  string
	names    bool     // it is compared with names
	segments []string // of the pattern that begin with a dot
}

// ParseGlob checks a pattern. Its error is written for the model.
func ParseGlob(pattern string) (Glob, error) {
	if err := checkGlob(pattern); err != nil {
		return Glob{}, err
	}
	g := Glob{pattern: strings.TrimPrefix(strings.TrimLeft(pattern, "/"), "./"), names: !strings.Contains(pattern, "/")}
	for segment := range strings.SplitSeq(g.pattern, "/") {
		if strings.HasPrefix(segment, ".") || strings.Contains(segment, "{.") || strings.Contains(segment, ",.") {
			g.segments = append(g.segments, segment)
		}
	}
	return g, nil
}

// Match compares a path without a slash at its beginning.
func (g Glob) Match(relative string) bool {
	if g.names {
		relative = path.Base(relative)
	}
	return matches(g.pattern, relative) && g.shows(relative)
}

// shows reports whether the pattern speaks of all that begins with a dot.
func (g Glob) shows(relative string) bool {
	for name := range strings.SplitSeq(relative, "/") {
		if strings.HasPrefix(name, ".") && !g.speaksOf(name) {
			return false
		}
	}
	return true
}

func (g Glob) speaksOf(name string) bool {
	for _, segment := range g.segments {
		if matches(segment, name) {
			return true
		}
	}
	return false
}

// PathGlob matches clean paths. Unlike a [Glob] it matches names that begin with a dot too: it is for rules.
type PathGlob struct{ pattern string }

// ParsePathGlob checks a pattern, which begins with a slash.
func ParsePathGlob(pattern string) (PathGlob, error) { return PathGlob{pattern}, checkGlob(pattern) }

// Match compares a clean path.
func (g PathGlob) Match(name string) bool { return matches(g.pattern, name) }

// String is the pattern.
func (g PathGlob) String() string { return g.pattern }

// IsLiteral reports whether the pattern stands for one path.
func (g PathGlob) IsLiteral() bool { return !strings.ContainsAny(g.pattern, `*?[{\`) }

// globError is a pattern that cannot be one. Its text begins as deepagents' does.
type globError string

func (e globError) Error() string { return "Invalid glob pattern: " + string(e) }

// checkGlob bounds what a match costs: that of each alternative is bounded by the lengths.
func checkGlob(pattern string) error {
	if pattern == "" || len(pattern) > maxGlob {
		return fmt.Errorf("a glob has 1 to %d bytes", maxGlob)
	}
	if !doublestar.ValidatePattern(pattern) {
		return globError(fmt.Sprintf("%q has a bracket, a brace or a backslash that does not end", pattern))
	}
	alternatives := 1
	var open []int // of the braces, how many each stands for
	for i := 0; i < len(pattern); i++ {
		c, last := pattern[i], len(open)-1
		switch {
		case c == '\\':
			i++ // what comes behind stands for itself
		case c == '{':
			open = append(open, 1)
		case c == ',' && last >= 0:
			open[last]++
		case c == '}' && last >= 0:
			alternatives *= open[last]
			open = open[:last]
		}
		if alternatives > maxAlternatives {
			return globError(fmt.Sprintf("%q stands for more than %d patterns", pattern, maxAlternatives))
		}
	}
	return nil
}

// matches is false for a pattern that turns out to be wrong only now.
func matches(pattern, name string) bool {
	ok, err := doublestar.Match(pattern, name)
	return ok && err == nil
}
