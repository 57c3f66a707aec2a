package scan

// Kind says which kind of data a match is.
type Kind uint8

// The kinds, with the names that String returns. The first three names are those of LangChain's PIIMiddleware.
const (
	Email      Kind = iota // email: an e-mail address
	Card                   // credit_card: a payment card number
	IP                     // ip: an IPv4 or IPv6 address
	APIKey                 // api_key: an API key, access token, password or other secret value
	PrivateKey             // private_key: a PEM block with a private key

	kindCount = iota
)

var kindNames = [kindCount]string{"email", "credit_card", "ip", "api_key", "private_key"}

// redacted are the replacements of Redact.
var redacted = [kindCount]string{
	"[REDACTED_EMAIL]", "[REDACTED_CREDIT_CARD]", "[REDACTED_IP]", "[REDACTED_API_KEY]", "[REDACTED_PRIVATE_KEY]",
}

// gravity orders the kinds: a match that was joined from several gets the most serious kind.
var gravity = [kindCount]uint8{IP: 0, Email: 1, Card: 2, APIKey: 3, PrivateKey: 4}

// String returns the name of the kind, as it appears in replacements and in a configuration, or "unknown".
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}

// ParseKind returns the kind with this name, or false if there is none.
func ParseKind(name string) (Kind, bool) {
	for i, kindName := range kindNames {
		if kindName == name {
			return Kind(i), true
		}
	}
	return 0, false
}

// Match is one match: text[Start:End], in bytes.
type Match struct {
	Kind       Kind
	Start, End int
}
