package pii

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Strategy says what becomes of a match.
type Strategy string

// The strategies.
const (
	Redact Strategy = "redact" // [REDACTED_EMAIL]
	Mask   Strategy = "mask"   // a part stays readable: ****-****-****-1111
	Hash   Strategy = "hash"   // <email_hash:71d4f55f>: equal values stay recognizable as equal
	Block  Strategy = "block"  // a text with a match is refused with a [BlockedError]
)

// The kinds that need no detector.
const (
	Email      = "email"       // ann@example.com
	CreditCard = "credit_card" // four groups of four digits, with a space or a dash between them or not, that pass the Luhn check
	IP         = "ip"          // IPv4 and IPv6 addresses
	MACAddress = "mac_address" // six pairs of hexadecimal digits, with : or - between them
	URL        = "url"         // http and https; without a scheme if they start with www. or have a path
)

// Kinds lists the kinds that need no detector.
func Kinds() []string { return []string{Email, CreditCard, IP, MACAddress, URL} }

// Match is one place in a text. It does not hold the value, so that nobody logs it by accident.
type Match struct {
	Kind       string
	Start, End int // bytes
}

// Detector finds what a rule looks for. It may be called from several goroutines at once. Matches that do not lie in the
// text, or are empty, are dropped; those that overlap are joined. An empty Kind is the rule's.
type Detector func(text string) []Match

// BlockedError is a text that was refused. It does not hold the text.
type BlockedError struct {
	Kind    string
	Matches []Match
}

func (e *BlockedError) Error() string {
	return fmt.Sprintf("Detected %d instance(s) of %s in text content", len(e.Matches), e.Kind)
}

// ErrorType returns "pii_detected", which is what documents and events call the error.
func (*BlockedError) ErrorType() string { return "pii_detected" }

// Rule finds one kind of data and does one thing with it. It may be used from several goroutines at once.
type Rule struct {
	kind     string
	strategy Strategy
	detect   Detector
	cuts     cuts
}

// New makes a rule. The kind is one of [Kinds], or any name if there is a pattern, which then says what to look for: a
// regular expression of Go's package regexp. It is searched for in the whole text at once, so that ^ and $ are the ends of the
// text, unless it begins with (?m). The strategy "" is [Redact].
func New(kind string, strategy Strategy, pattern string) (*Rule, error) {
	if pattern == "" {
		detector, ok := builtins[kind]
		if !ok {
			//nolint:staticcheck,revive // the text is LangChain's
			return nil, fmt.Errorf("Unknown PII type: %s. Must be one of ['%s'] or provide a custom detector.",
				kind, strings.Join(Kinds(), "', '"))
		}
		return newRule(kind, strategy, detector.detect, detector.cuts())
	}
	expression, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("the detector of %s is no regular expression of Go's package regexp: %w", kind, err)
	}
	rule, err := newRule(kind, strategy, func(text string) []Match { return found(expression, text) }, cutsOf(pattern))
	if err != nil {
		return nil, err
	}
	return rule, nil
}

// NewDetector makes a rule with a detector of one's own.
func NewDetector(kind string, strategy Strategy, detect Detector) (*Rule, error) {
	return newRule(kind, strategy, detect, cuts{})
}

func newRule(kind string, strategy Strategy, detect Detector, c cuts) (*Rule, error) {
	if kind == "" {
		return nil, errors.New("the kind of PII has no name")
	}
	switch strategy {
	case "":
		strategy = Redact
	case Redact, Mask, Hash, Block:
	default:
		//nolint:staticcheck // the text begins as LangChain's does
		return nil, fmt.Errorf("Unknown redaction strategy: %s. Use block, redact, mask or hash", strategy)
	}
	return &Rule{kind: kind, strategy: strategy, detect: detect, cuts: c}, nil
}

// Kind returns what the rule looks for.
func (r *Rule) Kind() string { return r.kind }

// Strategy returns what the rule does.
func (r *Rule) Strategy() Strategy { return r.strategy }

// Find returns the matches in a text, in their order. They do not overlap.
func (r *Rule) Find(text string) []Match {
	matches := r.detect(text)
	if len(matches) == 0 {
		return nil
	}
	return r.tidied(matches, len(text))
}

// Apply returns the text after the rule, and what was found. The error is a [*BlockedError].
func (r *Rule) Apply(text string) (string, []Match, error) {
	matches := r.Find(text)
	if len(matches) == 0 {
		return text, nil, nil
	}
	if r.strategy == Block {
		return "", matches, &BlockedError{Kind: matches[0].Kind, Matches: matches}
	}
	var b strings.Builder
	b.Grow(len(text))
	from := 0
	for _, m := range matches {
		b.WriteString(text[from:m.Start])
		b.WriteString(r.replacement(m.Kind, text[m.Start:m.End]))
		from = m.End
	}
	b.WriteString(text[from:])
	return b.String(), matches, nil
}

// tidied returns matches sorted, without those that cannot be and with overlapping ones joined: what a detector reports
// twice must not leave a part of it behind.
func (r *Rule) tidied(matches []Match, size int) []Match {
	out := make([]Match, 0, len(matches))
	sorted := slices.IsSortedFunc(matches, byStart)
	if !sorted {
		matches = slices.Clone(matches)
		slices.SortStableFunc(matches, byStart)
	}
	for _, m := range matches {
		if m.Start < 0 || m.End > size || m.Start >= m.End {
			continue
		}
		if m.Kind == "" {
			m.Kind = r.kind
		}
		if last := len(out) - 1; last >= 0 && m.Start < out[last].End {
			out[last].End = max(out[last].End, m.End)
			continue
		}
		out = append(out, m)
	}
	return out
}

func byStart(a, b Match) int { return a.Start - b.Start }

// found returns the matches of an expression.
func found(expression *regexp.Regexp, text string) []Match {
	all := expression.FindAllStringIndex(text, -1)
	if all == nil {
		return nil
	}
	out := make([]Match, len(all))
	for i, at := range all {
		out[i] = Match{Start: at[0], End: at[1]}
	}
	return out
}
