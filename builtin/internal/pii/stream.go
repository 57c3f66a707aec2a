package pii

import "strings"

// Stream applies a rule to a text that comes in pieces. What it passes on is, joined, what [Rule.Apply] makes of the whole
// text; of a text that the rule blocks it is nothing. It holds back what may be a part of a match: usually the last word; the whole
// text if the rule blocks, or if its expression may match anything. One goroutine uses it.
type Stream struct {
	rule *Rule
	held strings.Builder
	// seen is how much of what is held back has no place to cut. It keeps the search for one linear.
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
	// Whether a text may be cut behind a character depends on at most four bytes before that, which may be one of four.
	from := max(0, s.seen-8)
	cut := s.rule.cuts.last(text[from:], s.seen-from)
	if cut == 0 {
		s.seen = len(text)
		return ""
	}
	return s.release(text, from+cut)
}

// End returns the rest when the text is complete.
func (s *Stream) End() string { return s.release(s.held.String(), s.held.Len()) }

// release shows the held text up to a cut.
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
