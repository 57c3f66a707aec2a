package pii

import (
	"net/netip"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agenthost/agenthost/internal/lazyregexp"
)

// The expressions of the kinds.
const (
	emailPattern = `\b[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}\b`
	ipv4Pattern  = `\b(?:[0-9]{1,3}\.){3}[0-9]{1,3}\b`
	ipv6Pattern  = `[0-9A-Fa-f:]*:[0-9A-Fa-f:]*:[0-9A-Fa-f:]*(?:(?:\.[0-9]{1,3}){3})?`
	macPattern   = `\b(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}\b`
	// spacePattern matches Python's white space.
	spacePattern = `\s\v\p{Z}\x{85}\x{1c}-\x{1f}`
	urlPattern   = `https?://[^` + spacePattern + "<>\"{}|\\\\^`\\[\\]]+"
	hostPattern  = `\b(?:www\.)?` + labelPattern + `(?:\.` + labelPattern + `)+`
	labelPattern = `[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?`
	// pathPattern follows a host.
	pathPattern = `/[^` + spacePattern + `]*`
)

var (
	emails = lazyregexp.New(emailPattern)
	ipv4s  = lazyregexp.New(ipv4Pattern)
	ipv6s  = lazyregexp.New(ipv6Pattern)
	macs   = lazyregexp.New(macPattern)
	urls   = lazyregexp.New(urlPattern)
	hosts  = lazyregexp.New(hostPattern)
)

// builtin is a kind that needs no detector of the user.
type builtin struct {
	detect Detector
	cuts   func() cuts
}

var builtins = map[string]builtin{
	Email:      {detectEmail, func() cuts { return cutsOf(emailPattern) }},
	CreditCard: {detectCard, cardCuts},
	IP:         {detectIP, func() cuts { return cutsOf(ipv4Pattern, ipv6Pattern) }},
	MACAddress: {detectMAC, func() cuts { return cutsOf(macPattern) }},
	URL:        {detectURL, func() cuts { return cutsOf(urlPattern, hostPattern, pathPattern) }},
}

func detectEmail(text string) []Match {
	if strings.IndexByte(text, '@') < 0 {
		return nil
	}
	return found(emails(), text)
}

func detectMAC(text string) []Match {
	if !strings.ContainsAny(text, ":-") {
		return nil
	}
	return found(macs(), text)
}

// detectIP finds IPv4 and IPv6 addresses. An IPv6 address that ends in an IPv4 address is one address.
func detectIP(text string) []Match {
	var out []Match
	if strings.IndexByte(text, ':') >= 0 {
		for _, at := range ipv6s().FindAllStringIndex(text, -1) {
			if m, ok := ipv6At(text, at[0], at[1]); ok {
				out = append(out, m)
			}
		}
	}
	if strings.IndexByte(text, '.') < 0 {
		return out
	}
	for _, at := range ipv4s().FindAllStringIndex(text, -1) {
		if _, err := netip.ParseAddr(text[at[0]:at[1]]); err == nil {
			out = append(out, Match{Start: at[0], End: at[1]})
		}
	}
	return out
}

// ipv6At returns the IPv6 address in a run of address characters, without surrounding punctuation. Two colons also occur in
// other texts, such as 1::2 in a program, so a short address needs a digit and a group of three characters.
func ipv6At(text string, from, to int) (Match, bool) {
	if text[from] == ':' && !strings.HasPrefix(text[from:to], "::") {
		from++ // "address:2001:db8::1"
	} else if from > 0 && isWord(text[from-1]) {
		return Match{}, false
	}
	if text[to-1] == ':' && !strings.HasSuffix(text[from:to], "::") {
		to--
	}
	if dot := strings.IndexByte(text[from:to], '.'); dot >= 0 && !isIPv6(text[from:to]) {
		to = from + dot // the rest does not belong to the address
	}
	address := text[from:to]
	if to < len(text) && isWord(text[to]) || !isIPv6(address) || !strings.ContainsAny(address, "0123456789") {
		return Match{}, false
	}
	groups, longest := 0, 0
	for group := range strings.SplitSeq(address, ":") {
		if group != "" {
			groups, longest = groups+1, max(longest, len(group))
		}
	}
	return Match{Start: from, End: to}, groups >= 4 || groups >= 2 && longest >= 3
}

func isIPv6(text string) bool {
	address, err := netip.ParseAddr(text)
	return err == nil && address.Is6()
}

// detectURL finds addresses with a scheme, and between them hosts that begin with www. or have a path.
func detectURL(text string) []Match {
	var schemes []Match
	if strings.Contains(text, "://") {
		for _, m := range found(urls(), text) {
			host := strings.Index(text[m.Start:], "://") + m.Start + len("://")
			if strings.IndexByte("/?#", text[host]) < 0 {
				schemes = append(schemes, m)
			}
		}
	}
	if strings.IndexByte(text, '/') < 0 && !strings.Contains(text, "www.") {
		return schemes
	}
	out, next, covered := schemes, 0, 0
	for _, m := range found(hosts(), text) {
		for next < len(schemes) && schemes[next].End <= m.Start {
			covered = max(covered, schemes[next].End)
			next++
		}
		if m.Start < covered || next < len(schemes) && schemes[next].Start <= m.Start {
			continue // inside another match
		}
		named := strings.HasPrefix(text[m.Start:m.End], "www.")
		if m.End < len(text) && text[m.End] == '/' {
			m.End += spaceIn(text[m.End:])
		} else if !named {
			continue
		}
		out = append(out, m)
		covered = m.End
	}
	return out
}

// spaceIn returns the index of the first white space in a text, or the length of the text.
func spaceIn(text string) int {
	if i := strings.IndexFunc(text, isSpace); i >= 0 {
		return i
	}
	return len(text)
}

// isSpace reports whether spacePattern matches a character.
func isSpace(c rune) bool {
	return unicode.Is(unicode.Z, c) || '\t' <= c && c <= '\r' || 0x1c <= c && c <= 0x1f || c == 0x85
}

// isWord reports whether a byte is part of a word for \b.
func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// detectCard finds card numbers. Other digits may precede a card number, as in "2024 4111 1111 1111 1111", so the search
// continues inside of digits that fail the check.
func detectCard(text string) []Match {
	var out []Match
	for i := 0; i < len(text); i++ {
		if !isDigit(text[i]) || i > 0 && isWord(text[i-1]) {
			continue
		}
		if end, ok := cardAt(text, i); ok {
			out = append(out, Match{Start: i, End: end})
			i = end
		}
	}
	return out
}

// cardAt returns the end of the card number that starts at an index.
func cardAt(text string, at int) (end int, ok bool) {
	var digits [16]byte
	for i := range digits {
		if i > 0 && i%4 == 0 {
			at += separatorIn(text[at:])
		}
		if at >= len(text) || !isDigit(text[at]) {
			return 0, false
		}
		digits[i] = text[at] - '0'
		at++
	}
	return at, (at == len(text) || !isWord(text[at])) && luhn(digits)
}

// separatorIn returns the length of the separator at the start of a text; 0 if there is none.
func separatorIn(text string) int {
	c, size := utf8.DecodeRuneInString(text)
	if c == '-' || isSpace(c) {
		return size
	}
	return 0
}

func luhn(digits [16]byte) bool {
	sum := 0
	for i, d := range digits {
		value := int(d)
		if i%2 == 0 { // every second digit from the right
			value *= 2
			if value > 9 {
				value -= 9
			}
		}
		sum += value
	}
	return sum%10 == 0
}
