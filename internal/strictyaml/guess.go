package strictyaml

import (
	"slices"
	"strings"

	"github.com/agenthost/agenthost/internal/lazyregexp"
	"github.com/agenthost/agenthost/internal/mask"
)

// A file with a mistake in its syntax has no tree that says which values are secret. What follows guesses it from the words in a line
// and in the lines above that it is indented under. A wrong guess hides too much.

// wordBefore matches a word with something after it, which may be its value.
var wordBefore = lazyregexp.New(`([A-Za-z_][A-Za-z0-9_.-]*)["']?\s*[:=\s]\s*`)

// guess returns the offset from which a line may hold a secret; false if it holds none.
func (s *source) guess(number int) (int, bool) {
	line := s.line(number)
	above := s.above(number)
	if len(above) > 0 && s.secret(above, "") {
		start := indentation(line)
		return start, start < len(line)
	}
	start, ok := guessIn(line, above, s.secret)
	return start, ok && start < len(line)
}

// guessIn returns the offset in a text after the first word that may be the key of a secret.
func guessIn(text string, above []string, secret func(path []string, value string) bool) (int, bool) {
	for _, match := range wordBefore().FindAllStringSubmatchIndex(text, -1) {
		if secret(append(slices.Clip(above), strings.Split(text[match[2]:match[3]], ".")...), "") {
			return match[1], true
		}
	}
	return 0, false
}

// indentation returns the offset of the first character of a line after its spaces and dashes.
func indentation(line string) int { return len(line) - len(strings.TrimLeft(line, " \t-")) }

// above returns the keys of the lines that a line is indented under, outermost first.
func (s *source) above(number int) []string {
	if s.parents == nil {
		s.parents = make([]int, len(s.lines))
		var open []int // lines whose indentation grows
		for i, line := range s.lines {
			if strings.TrimSpace(line) == "" {
				continue
			}
			at := indentation(line)
			for len(open) > 0 && indentation(s.lines[open[len(open)-1]]) >= at {
				open = open[:len(open)-1]
			}
			if len(open) > 0 {
				s.parents[i] = open[len(open)-1] + 1
			}
			open = append(open, i)
		}
	}
	var keys []string
	for number > 0 && number <= len(s.parents) && len(keys) < maxDepth {
		if number = s.parents[number-1]; number == 0 {
			break
		}
		if match := wordBefore().FindStringSubmatch(s.lines[number-1] + " "); match != nil {
			keys = append(keys, match[1])
		}
	}
	slices.Reverse(keys)
	return keys
}

// withoutGuess hides the words of a line's secret in a message about its syntax.
func (s *source) withoutGuess(number int, message string) string {
	offset, ok := s.guess(number)
	if !ok {
		return message
	}
	for word := range strings.FieldsSeq(s.line(number)[offset:]) {
		if word = strings.Trim(word, `!&*"'@%[]{},`+"`"); len(word) >= 3 {
			message = strings.ReplaceAll(message, word, mask.Hidden)
		}
	}
	return message
}

// HidesIn reports whether an assignment for [WithSet] has, or may have, a secret that errors do not show.
func HidesIn(assignment string, secret func(path []string, value string) bool) bool {
	return shownAssignment(assignment, secret) != assignment
}

// shownAssignment returns the text of an assignment on the command line without its secret.
func shownAssignment(assignment string, secret func(path []string, value string) bool) string {
	if secret == nil {
		return hideURLs(assignment)
	}
	steps, rest, err := parsePath(assignment)
	var path []string
	for _, s := range steps {
		if s.index < 0 {
			path = append(path, s.key)
		}
	}
	switch {
	case err != nil, rest == "":
		rest, path = assignment, nil
	case secret(path, rest[1:]):
		return before(assignment, rest) + "=" + mask.Hidden
	case !isYAML(rest[1:]):
		return hideURLs(assignment)
	}
	if start, ok := guessIn(rest, path, secret); ok && start < len(rest) {
		return hideURLs(before(assignment, rest)+rest[:start]) + mask.Hidden
	}
	return hideURLs(assignment)
}
