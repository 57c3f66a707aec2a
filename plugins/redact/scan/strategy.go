package scan

import (
	"strconv"

	"github.com/agenthost/agenthost/sdk/go/sha256"
)

// Strategy says what Apply puts in place of a match.
type Strategy uint8

// The strategies of LangChain's PIIMiddleware, under the same names.
const (
	Redact Strategy = iota // redact: [REDACTED_EMAIL]
	Mask                   // mask: ****-****-****-1234, enough to recognise a known value
	Hash                   // hash: <email_hash:1a2b3c4d>, equal for equal values
	Block                  // block: the whole text is refused
)

var strategyNames = [...]string{"redact", "mask", "hash", "block"}

// String returns the name of the strategy, as it is written in a configuration, or "unknown".
func (s Strategy) String() string {
	if int(s) < len(strategyNames) {
		return strategyNames[s]
	}
	return "unknown"
}

// ParseStrategy returns the strategy with this name, or false if there is none.
func ParseStrategy(name string) (Strategy, bool) {
	for i, strategyName := range strategyNames {
		if strategyName == name {
			return Strategy(i), true
		}
	}
	return 0, false
}

const (
	hidden         = "****"
	cardMask       = "************"
	cardMaskDashed = "****-****-****-"
	cardMaskSpaced = "**** **** **** "
	hashMiddle     = "_hash:"

	hashDigits   = 8
	tailLength   = 4  // number of characters of a card number or key that a mask shows
	minTailedKey = 20 // smallest length of a key whose mask shows them
)

// Apply appends text with its matches replaced to dst and returns it. The matches must be those that Find returned for
// this text, or some of them in the same order. If there are matches, and the strategy is Block or unknown, Apply
// appends nothing, because the text must not pass; see Detected.
//
// The replacements are exactly those of LangChain, and have the same form for the kinds that LangChain lacks:
//
//	          redact                  mask                 hash
//	email     [REDACTED_EMAIL]        ann@****.com         <email_hash:1a2b3c4d>
//	card      [REDACTED_CREDIT_CARD]  **** **** **** 1234  <credit_card_hash:1a2b3c4d>
//	IPv4      [REDACTED_IP]           *.*.*.4              <ip_hash:1a2b3c4d>
//	IPv6      [REDACTED_IP]           ****                 <ip_hash:1a2b3c4d>
//	API key   [REDACTED_API_KEY]      ****wxyz             <api_key_hash:1a2b3c4d>
//	private   [REDACTED_PRIVATE_KEY]  ****                 <private_key_hash:1a2b3c4d>
//
// A mask hides more if the visible rest would reveal too much. It hides the local part of an address if that is itself
// a match, the end of a short key, and every part of a match that was joined from several. A hash is the first 32 bits
// of the SHA-256 of the value. It distinguishes values, but does not protect a value that can be guessed.
func Apply(dst []byte, text string, matches []Match, strategy Strategy) []byte {
	if strategy > Hash && len(matches) > 0 {
		return dst
	}
	from := 0
	for _, match := range matches {
		dst = append(dst, text[from:match.Start]...)
		value, rest := text[match.Start:match.End], text[match.End:]
		switch strategy {
		case Redact:
			dst = append(dst, redacted[match.Kind]...)
		case Mask:
			dst = appendMasked(dst, match.Kind, value, rest)
		default: // Hash: the others left above
			dst = appendHashed(dst, match.Kind, value)
		}
		from = match.End
	}
	return append(dst, text[from:]...)
}

// Detected returns the error text of Block for matches, in the words of LangChain's PIIDetectionError: "Detected 2
// instance(s) of email in text content". The text names and counts the kind of the first match. It is "" if there are
// no matches.
func Detected(matches []Match) string {
	if len(matches) == 0 {
		return ""
	}
	count := 0
	for _, match := range matches {
		if match.Kind == matches[0].Kind {
			count++
		}
	}
	return "Detected " + strconv.Itoa(count) + " instance(s) of " + matches[0].Kind.String() + " in text content"
}

func appendHashed(dst []byte, kind Kind, value string) []byte {
	dst = append(dst, '<')
	dst = append(dst, kind.String()...)
	dst = append(dst, hashMiddle...)
	dst = append(dst, sha256.Hex(value)[:hashDigits]...)
	return append(dst, '>')
}
