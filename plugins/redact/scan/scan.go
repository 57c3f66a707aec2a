package scan

// Scanner finds the kinds of data that it was made for. It holds no state between calls and may be used by several
// goroutines at once. The zero Scanner finds every kind.
type Scanner struct {
	skip [kindCount]bool
}

// New returns a scanner for these kinds, or for every kind when none is given.
func New(kinds ...Kind) *Scanner {
	s := &Scanner{}
	if len(kinds) == 0 {
		return s
	}
	for i := range s.skip {
		s.skip[i] = true
	}
	for _, kind := range kinds {
		if int(kind) < len(s.skip) {
			s.skip[kind] = false
		}
	}
	return s
}

// Find appends the matches in text to dst, in order and without overlap, and returns it. The text may contain any
// bytes. The time is linear in len(text). Find allocates nothing unless dst must grow.
func (s *Scanner) Find(text string, dst []Match) []Match {
	p := pass{text: text, skip: s.skip, matches: dst, base: len(dst)}
	p.run()
	return p.matches
}

// pass is one run over one text.
type pass struct {
	text    string
	skip    [kindCount]bool
	matches []Match
	base    int // matches before this one are the caller's
	end     int // where the last match ends
	sealed  int // where the last private key ends; nothing joins it
	weak    int // up to here an unquoted value is known to hold no strongByte
	work    int // bytes that detectors looked at, for the test of linearity
}

// trigger is the detector that a byte wakes.
type trigger uint8

const (
	onNothing trigger = iota
	onDigit
	onAt
	onColon
	onEquals
	onDash
	onUnderscore
	onA
	onB
	onJ
)

var triggers = [256]trigger{
	'0': onDigit, '1': onDigit, '2': onDigit, '3': onDigit, '4': onDigit,
	'5': onDigit, '6': onDigit, '7': onDigit, '8': onDigit, '9': onDigit,
	'@': onAt, ':': onColon, '=': onEquals, '-': onDash, '_': onUnderscore,
	'A': onA, 'B': onB, 'b': onB, 'J': onJ,
}

func (p *pass) run() {
	text := p.text
	for i := 0; i < len(text); {
		wakes := triggers[text[i]]
		if wakes == onNothing {
			i++
			continue
		}
		i = max(p.wake(wakes, i), i+1)
	}
}

// wake runs the detectors for the byte at i and returns where to go on, or 0 for the next byte.
func (p *pass) wake(wakes trigger, i int) int {
	switch wakes {
	case onDigit:
		return p.number(i)
	case onAt:
		return p.email(i)
	case onColon:
		if end := p.ipv6(i); end > 0 {
			return end
		}
		return p.assignment(i)
	case onEquals:
		return p.assignment(i)
	case onDash:
		if end := p.privateKey(i); end > 0 {
			return end
		}
		return p.dashKey(i)
	case onUnderscore:
		return p.underscoreKey(i)
	case onA:
		return p.capitalKey(i)
	case onB:
		return p.bearer(i)
	case onJ:
		return p.jwt(i)
	default:
		return 0
	}
}

// number looks at the run of digits at i, which may begin a card number or an IPv4 address, and skips it otherwise.
func (p *pass) number(i int) int {
	end := p.span(i, digitByte)
	if !p.borders(i, wordByte) {
		return end
	}
	if p.before(i, 1, dotByte) && p.before(i, 2, digitByte) {
		return end // the fraction of a float, or the second half of a version number
	}
	if found := p.ipv4(i, end); found > 0 {
		return found
	}
	if found := p.card(i, end); found > 0 {
		return found
	}
	return end
}

// add records text[start:end] as a match and returns end. Earlier matches that it overlaps become part of it.
func (p *pass) add(kind Kind, start, end int) int {
	next := end
	for n := len(p.matches); n > p.base && p.matches[n-1].End > start; n-- {
		last := p.matches[n-1]
		start, end = min(start, last.Start), max(end, last.End)
		if gravity[last.Kind] > gravity[kind] {
			kind = last.Kind
		}
		p.matches = p.matches[:n-1]
	}
	p.matches = append(p.matches, Match{Kind: kind, Start: start, End: end})
	p.end = end
	return next
}

// span returns the end of the run of bytes of class c that begins at i. It stops where a private key may begin.
func (p *pass) span(i int, c class) int {
	text, start := p.text, i
	for i < len(text) && classes[text[i]]&c != 0 {
		if text[i] == '-' && at(text, i, pemBegin) {
			break
		}
		i++
	}
	p.work += i - start + 1
	return i
}

// borders reports whether the byte before i permits a match to begin at i: that byte must not be of class c.
func (p *pass) borders(i int, c class) bool {
	return !p.before(i, 1, c)
}

// before reports whether the byte n places before i is of class c. A byte of the last match does not count for the text
// after it, because it will be replaced.
func (p *pass) before(i, n int, c class) bool {
	return (i < p.end || i-n >= p.end) && is(p.text, i-n, c)
}
