package strictyaml

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agenthost/agenthost/internal/lazyregexp"
	"github.com/agenthost/agenthost/internal/mask"
)

// hiddenHint follows a problem of a value that is not shown.
const hiddenHint = "the value is not shown, because it may be a secret"

// shortLiteral is the length in bytes below which a secret of the document is shown in messages of other code, because it may be an
// ordinary word.
const shortLiteral = 6

// reference matches a text that shows nothing of a secret: a variable without a default, possibly after a scheme.
var reference = lazyregexp.New(`^(?:(?:Bearer|Basic|Token) )?\$\{[A-Za-z_][A-Za-z0-9_]*\}$`)

// place is where a value or a key begins.
type place struct {
	line, column int
	secret       bool
}

// span is a part of a line that is not shown, in columns; to is 0 at the end of the line.
type span struct{ from, to int }

// marker marks the secrets of a document.
type marker struct {
	secret func(path []string, value string) bool
	values *secrets
	src    *source
	places []place
}

// markSecrets marks the values that secret reports, so that no problem shows them. It returns their texts, for messages of other code.
func markSecrets(root *node, src *source, secret func(path []string, value string) bool) *secrets {
	if secret == nil {
		return nil
	}
	m := marker{secret: secret, values: &secrets{}, src: src}
	m.mark(root, nil)
	src.hide(m.places)
	return m.values
}

func (m *marker) mark(n *node, path []string) {
	switch n.kind {
	case KindList:
		m.note(n, false)
		for _, item := range n.list {
			m.mark(item, path)
		}
	case KindMap:
		m.note(n, false)
		for _, e := range n.entries {
			m.note(e.key, false)
			m.mark(e.value, append(slices.Clip(path), e.key.text))
		}
	default:
		if n.kind != KindNull && !n.secret && !reference().MatchString(n.text) && m.secret(path, n.text) {
			n.secret, n.raw = true, mask.Hidden
		}
		if n.secret && len(n.text) >= shortLiteral && !strings.Contains(n.text, "${") {
			m.values.add(n.text, mask.Hidden)
		}
		if shown := hideURLs(n.raw); shown != n.raw {
			n.raw = shown
		}
		m.note(n, n.secret || n.broken && m.secret(path, ""))
	}
}

func (m *marker) note(n *node, secret bool) {
	if n.at.src == m.src && n.at.line > 0 {
		m.places = append(m.places, place{n.at.line, n.at.column, secret})
	}
}

// hide stores which parts of the lines hold secrets: everything from the beginning of a secret to the next key or value.
func (s *source) hide(places []place) {
	s.parsed, s.hidden = true, map[int][]span{}
	slices.SortFunc(places, func(a, b place) int { // a secret before anything else at its place, such as an alias of it
		order := cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.column, b.column))
		if order == 0 && a.secret != b.secret {
			if a.secret {
				return -1
			}
			return 1
		}
		return order
	})
	places = slices.CompactFunc(places, func(a, b place) bool { return a.line == b.line && a.column == b.column })
	for i, p := range places {
		if !p.secret {
			continue
		}
		end := place{line: len(s.lines) + 1}
		if i+1 < len(places) {
			end = places[i+1]
		}
		if end.line == p.line {
			s.hidden[p.line] = append(s.hidden[p.line], span{p.column, end.column})
			continue
		}
		s.hidden[p.line] = append(s.hidden[p.line], span{p.column, 0})
		for line := p.line + 1; line < end.line; line++ {
			s.hidden[line] = append(s.hidden[line], span{1, 0})
		}
	}
}

// shown returns a line without its secrets, and the column in it that stands for a column of the file.
func (s *source) shown(number, column int) (line string, at int) {
	line, at = s.line(number), column
	if line == "" {
		return line, at
	}
	hidden := s.hidden[number]
	if !s.parsed && s.secret != nil {
		if offset, ok := s.guess(number); ok {
			hidden = []span{{s.column(number, offset), 0}}
		}
	}
	if len(hidden) > 0 {
		line, at = cover([]rune(line), hidden, column)
	}
	runes := []rune(line)
	before := string(runes[:min(max(at-1, 0), len(runes))])
	return hideURLs(line), at + utf8.RuneCountInString(hideURLs(before)) - utf8.RuneCountInString(before)
}

// cover replaces the hidden parts of a line, apart from white space at their beginning.
func cover(runes []rune, hidden []span, column int) (line string, at int) {
	var out []rune
	next := 1 // the column to copy from
	at = -1
	copyTo := func(end int) {
		if at < 0 && column < end {
			at = len(out) + column - next + 1
		}
		if end > next {
			out = append(out, runes[next-1:end-1]...)
			next = end
		}
	}
	for _, h := range hidden {
		from, to := max(h.from, next), h.to
		if to == 0 || to > len(runes)+1 {
			to = len(runes) + 1
		}
		for from < to && (runes[from-1] == ' ' || runes[from-1] == '\t') {
			from++
		}
		if from >= to {
			continue
		}
		copyTo(from)
		if at < 0 && column < to {
			at = len(out) + 1
		}
		out = append(out, []rune(mask.Hidden)...)
		if to <= len(runes) {
			out = append(out, ' ')
		}
		next = to
	}
	copyTo(len(runes) + 1)
	if at < 0 {
		at = len(out) + 1
	}
	return string(out), at
}

var (
	password  = lazyregexp.New(`(://[^/?#\s:@"']*:)[^/?#\s@"']+@`)
	parameter = lazyregexp.New(`(?i)([?&][\w.-]*(?:key|token|secret|password|sig|signature)=)[^&\s"'#$][^&\s"'#]*`)
)

// hideURLs hides passwords and keys in URLs.
func hideURLs(text string) string {
	if !strings.Contains(text, "://") {
		return text
	}
	return parameter().ReplaceAllString(password().ReplaceAllStringFunc(text, func(match string) string {
		parts := password().FindStringSubmatch(match)
		if strings.HasPrefix(match[len(parts[1]):], "${") {
			return match // a variable, which is not expanded here
		}
		return parts[1] + mask.Hidden + "@"
	}), "${1}"+mask.Hidden)
}
