package pii

import "strings"

// Stream applies a rule to a text that comes in pieces. Its joined output equals the result of [Rule.Apply] for the whole
// text; for a blocked text the output is empty. It holds back what may be part of a match: usually the last word, and the
// whole text if the rule blocks or its expression may match anything. It is not safe for concurrent use.
type Stream struct {
	rule *Rule
	held strings.Builder
	// seen is the length of the held text that is known to have no cut. It keeps the search for a cut linear.
	seen int
}

// Stream returns a stream for one text.
func (r *Rule) Stream() *Stream { return &Stream{rule: r} }

// Pass takes a piece of the text and returns what may be shown.
func (s *Stream) Pass(piece string) string {
	if piece == "" {
		return ""
	}
	s.held.WriteString(piece)
	if s.rule.strategy == Block {
		return ""
	}
	text := s.held.String()
	// The decision about a cut depends on at most four bytes before the character, which may have four bytes itself.
	from := max(0, s.seen-8)
	cut := s.rule.cuts.last(text[from:], s.seen-from)
	if cut == 0 {
		s.seen = len(text)
		return ""
	}
	return s.release(text, from+cut)
}

// End returns the rest of the text.
func (s *Stream) End() string { return s.release(s.held.String(), s.held.Len()) }

// release returns the held text up to a cut, with matches replaced.
func (s *Stream) release(text string, cut int) string {
	s.held.Reset()
	s.held.WriteString(text[cut:])
	s.seen = s.held.Len()
	shown, _, err := s.rule.Apply(text[:cut])
	if err != nil {
		return "" // blocked
	}
	return shown
}
