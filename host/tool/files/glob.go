package files

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

const (
	// maxAlternatives bounds what the braces of a glob stand for.
	maxAlternatives = 100
	// maxGlob bounds a glob, in bytes.
	maxGlob = 1000
)

// glob matches paths. The empty one matches all.
type glob struct {
	text         string
	alternatives [][]string // segments; one segment stands for a name at any depth
}

// parseGlob reads a glob: * and ? stand for what is between two slashes, [a-z] for a letter, ** for any number of
// directories, and {a,b} for either.
func parseGlob(text string) (glob, error) {
	g := glob{text: text}
	if text == "" {
		return g, nil
	}
	if len(text) > maxGlob {
		return g, &ArgumentError{"glob", fmt.Sprintf("must have at most %d bytes", maxGlob)}
	}
	expanded, err := expandBraces(text)
	if err != nil {
		return g, err
	}
	for _, pattern := range expanded {
		pattern = strings.TrimPrefix(pattern, "./")
		rooted := strings.HasPrefix(pattern, "/")
		segments := strings.Split(strings.Trim(pattern, "/"), "/")
		for _, segment := range segments {
			if _, err := path.Match(segment, ""); err != nil {
				return g, &ArgumentError{"glob", fmt.Sprintf("%q has a bracket or a backslash that does not end", text)}
			}
		}
		if rooted && len(segments) == 1 {
			segments = append([]string{"."}, segments...)
		}
		g.alternatives = append(g.alternatives, segments)
	}
	return g, nil
}

// match matches a path relative to the directory that is listed or searched.
func (g glob) match(name string) bool {
	if g.text == "" {
		return true
	}
	names := strings.Split(name, "/")
	return slices.ContainsFunc(g.alternatives, func(segments []string) bool {
		switch {
		case segments[0] == "." && len(segments) > 1:
			return matchSegments(segments[1:], names)
		case len(segments) == 1 && segments[0] != "**":
			return matchSegments(segments, names[len(names)-1:])
		}
		return matchSegments(segments, names)
	})
}

// matchSegments goes back to the last ** only, which is enough and takes no more than the product of the lengths.
func matchSegments(segments, names []string) bool {
	i, j := 0, 0
	star, resume := -1, 0
	for j < len(names) {
		switch {
		case i < len(segments) && segments[i] == "**":
			star, resume = i, j
			i++
			continue
		case i < len(segments):
			if ok, _ := path.Match(segments[i], names[j]); ok {
				i, j = i+1, j+1
				continue
			}
		}
		if star < 0 {
			return false
		}
		resume++
		i, j = star+1, resume
	}
	for i < len(segments) && segments[i] == "**" {
		i++
	}
	return i == len(segments)
}

// expandBraces turns a{b,c} into ab and ac, from the left, also nested.
func expandBraces(text string) ([]string, error) {
	pending, done := []string{text}, []string(nil)
	for len(pending) > 0 {
		next := pending[0]
		pending = pending[1:]
		open, end, commas := braces(next)
		if open < 0 {
			done = append(done, next)
			continue
		}
		if end < 0 {
			return nil, &ArgumentError{"glob", fmt.Sprintf("%q has a { without a }", text)}
		}
		var parts []string
		from := open + 1
		for _, comma := range append(commas, end) {
			parts = append(parts, next[:open]+next[from:comma]+next[end+1:])
			from = comma + 1
		}
		pending = append(parts, pending...)
		if len(pending)+len(done) > maxAlternatives {
			return nil, &ArgumentError{"glob", fmt.Sprintf("%q stands for more than %d globs", text, maxAlternatives)}
		}
	}
	return done, nil
}

// braces finds the first { of a text, its } and the commas between them.
func braces(text string) (open, end int, commas []int) {
	open, depth := strings.IndexByte(text, '{'), 0
	for i := max(open, 0); open >= 0 && i < len(text); i++ {
		switch text[i] {
		case '{':
			depth++
		case '}':
			depth--
			if depth == 0 {
				return open, i, commas
			}
		case ',':
			if depth == 1 {
				commas = append(commas, i)
			}
		}
	}
	return open, -1, nil
}
