package pii

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Strategy is how a match is replaced.
type Strategy string

// The strategies.
const (
	Redact Strategy = "redact" // [REDACTED_EMAIL]
	Mask   Strategy = "mask"   // a part stays readable: ****-****-****-1111
	Hash   Strategy = "hash"   // <email_hash:71d4f55f>: equal values have equal hashes
	Block  Strategy = "block"  // a text with a match is refused with a [BlockedError]
)

// The kinds that need no detector.
const (
	Email      = "email"       // ann@example.com
	CreditCard = "credit_card" // four groups of four digits, optionally separated by a space or a dash, that pass the Luhn check
	IP         = "ip"          // IPv4 and IPv6 addresses
	MACAddress = "mac_address" // six pairs of hexadecimal digits, separated by : or -
	URL        = "url"         // http and https; without a scheme if it begins with www. or has a path
)

// Kinds returns the kinds that need no detector.
func Kinds() []string { return []string{Email, CreditCard, IP, MACAddress, URL} }

// Match is a place in a text. It does not contain the value, so nobody can log it by accident.
type Match struct {
	Kind       string
	Start, End int // in bytes
}

// Detector finds matches in a text. It must be safe for concurrent use. Matches that are empty or outside of the text are
// dropped, and overlapping ones are joined. An empty Kind means the rule's kind.
type Detector func(text string) []Match

// BlockedError is a refused text. It does not contain the text.
type BlockedError struct {
	Kind    string
	Matches []Match
}

func (e *BlockedError) Error() string {
	return fmt.Sprintf("Detected %d instance(s) of %s in text content", len(e.Matches), e.Kind)
}

// ErrorType returns "pii_detected", the type of the error in documents and events.
func (*BlockedError) ErrorType() string { return "pii_detected" }

// Rule finds one kind of data and replaces it in one way. It is safe for concurrent use.
type Rule struct {
	kind     string
	strategy Strategy
	detect   Detector
	cuts     cuts
}

// New returns a rule. The kind is one of [Kinds], or any name if there is a pattern, which is a regular expression of Go's
// package regexp. The pattern is matched against the whole text, so ^ and $ are the ends of the text unless it begins with
// (?m). The strategy "" means [Redact].
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
		return nil, fmt.Errorf("the detector of %s is not a regular expression of Go's package regexp: %w", kind, err)
	}
	rule, err := newRule(kind, strategy, func(text string) []Match { return found(expression, text) }, cutsOf(pattern))
	if err != nil {
		return nil, err
	}
	return rule, nil
}

// NewDetector returns a rule with a custom detector.
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

// Kind returns the kind of data.
func (r *Rule) Kind() string { return r.kind }

// Strategy returns the strategy.
func (r *Rule) Strategy() Strategy { return r.strategy }

// Find returns the matches in a text, in their order. They do not overlap.
func (r *Rule) Find(text string) []Match {
	matches := r.detect(text)
	if len(matches) == 0 {
		return nil
	}
	return r.tidied(matches, len(text))
}

// Apply returns the text with all matches replaced, and the matches. The error is a [*BlockedError].
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

// tidied returns the matches sorted, without invalid ones, and with overlapping ones joined: otherwise a part of a value
// could remain.
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
