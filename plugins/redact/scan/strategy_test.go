package scan_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/plugins/redact/scan"
)

// The replacements of plain e-mail addresses, cards and IP addresses are the output of LangChain 1.5's own code; the
// other hashes were computed with Python's hashlib.
func TestApply(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, redact, mask, hash string }{
		{"nothing", "all is well", "all is well", "all is well", "all is well"},
		{"email", "to ann@mail.shop.example!", "to [REDACTED_EMAIL]!", "to ann@****.example!", "to <email_hash:9c012ece>!"},
		{"email whose local part is a find", "10.1.2.3@shop.example", "[REDACTED_EMAIL]", "****@****.example", "<email_hash:dbc1f8e5>"},
		{"emails that join", "ann@a.example@b.example", "[REDACTED_EMAIL]", "****", "<email_hash:90113f30>"},
		{"card", "4111111111111111", "[REDACTED_CREDIT_CARD]", "************1111", "<credit_card_hash:9bbef194>"},
		{"card in groups", "4111 1111 1111 1111", "[REDACTED_CREDIT_CARD]", "**** **** **** 1111", "<credit_card_hash:6a7e0e79>"},
		{"card with dashes", "4111-1111-1111-1111", "[REDACTED_CREDIT_CARD]", "****-****-****-1111", "<credit_card_hash:b3f846b2>"},
		{"card with both", "4111 1111-1111 1111", "[REDACTED_CREDIT_CARD]", "****-****-****-1111", "<credit_card_hash:4fee1f1b>"},
		{"card of 15 digits", "3782 822463 10005", "[REDACTED_CREDIT_CARD]", "**** **** **** 0005", "<credit_card_hash:82ef2fc3>"},
		{"IPv4", "from 10.1.2.34.", "from [REDACTED_IP].", "from *.*.*.34.", "from <ip_hash:8ff2cf44>."},
		{"IPv6", "2001:db8::1", "[REDACTED_IP]", "****", "<ip_hash:5afd19e8>"},
		{"API key", "AKIAIOSFODNN7EXAMPLE", "[REDACTED_API_KEY]", "****MPLE", "<api_key_hash:1a5d44a2>"},
		{"API key of 19 bytes", "token=0123456789abcdefghi", "token=[REDACTED_API_KEY]", "token=****", "token=<api_key_hash:d9c76b75>"},
		{"API key with digits at its end", "token=abcdefghijklmnop0123", "token=[REDACTED_API_KEY]", "token=****", "token=<api_key_hash:bfcd4803>"},
		{"API key with a sign at its end", "token=abcdefghijklmnop01=z", "token=[REDACTED_API_KEY]", "token=****", "token=<api_key_hash:6cd0b833>"},
		{"API key with a colon behind it", "AKIAIOSFODNN7EXAMPLE:x", "[REDACTED_API_KEY]:x", "****:x", "<api_key_hash:1a5d44a2>:x"},
		{"private key", "-----BEGIN PRIVATE KEY-----\nx", "[REDACTED_PRIVATE_KEY]", "****", "<private_key_hash:d3dd49a3>"},
		{"several", "a@b.co 1.2.3.4", "[REDACTED_EMAIL] [REDACTED_IP]", "a@****.co *.*.*.4", "<email_hash:80305c9b> <ip_hash:6694f83c>"},
		{"UTF-8 around it", "é10.1.2.3é", "é[REDACTED_IP]é", "é*.*.*.3é", "é<ip_hash:8e099943>é"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			matches := scan.New().Find(test.text, nil)
			apply := func(strategy scan.Strategy) string { return string(scan.Apply(nil, test.text, matches, strategy)) }
			require.Equal(t, test.redact, apply(scan.Redact))
			require.Equal(t, test.mask, apply(scan.Mask))
			require.Equal(t, test.hash, apply(scan.Hash))
		})
	}
}

func TestApplyAppends(t *testing.T) {
	t.Parallel()
	text := "from 10.1.2.3"
	matches := scan.New().Find(text, nil)
	require.Equal(t, "log: from [REDACTED_IP]", string(scan.Apply([]byte("log: "), text, matches, scan.Redact)))
	require.Equal(t, "log: ", string(scan.Apply([]byte("log: "), text, matches, scan.Block)), "a blocked text does not pass")
	require.Equal(t, "log: ", string(scan.Apply([]byte("log: "), text, matches, scan.Strategy(9))), "nor one of an unknown strategy")
	require.Equal(t, "log: "+text, string(scan.Apply([]byte("log: "), text, nil, scan.Block)))
}

func TestApplyTakesSomeOfTheMatches(t *testing.T) {
	t.Parallel()
	text := "a@b.co 1.2.3.4 c@d.co"
	matches := scan.New().Find(text, nil)
	require.Equal(t, "a@b.co [REDACTED_IP] c@d.co", string(scan.Apply(nil, text, matches[1:2], scan.Redact)))
}

func TestMaskShowsAtMostTheLastFourBytesOfAKey(t *testing.T) {
	t.Parallel()
	for n := 1; n < 64; n++ {
		key := strings.Repeat("q1wz", 16)[:n]
		masked := string(scan.Apply(nil, key, []scan.Match{{Kind: scan.APIKey, End: n}}, scan.Mask))
		if n < 20 {
			require.Equal(t, "****", masked)
		} else {
			require.Equal(t, "****"+key[n-4:], masked)
		}
	}
}

func TestDetected(t *testing.T) {
	t.Parallel()
	require.Empty(t, scan.Detected(nil))
	require.Equal(t, "Detected 2 instance(s) of email in text content", scan.Detected(scan.New().Find("a@b.co 1.2.3.4 c@d.co", nil)))
	require.Equal(t, "Detected 1 instance(s) of ip in text content", scan.Detected(scan.New().Find("1.2.3.4", nil)))
}

func TestStrategyNames(t *testing.T) {
	t.Parallel()
	for strategy := scan.Redact; strategy <= scan.Block; strategy++ {
		parsed, ok := scan.ParseStrategy(strategy.String())
		require.True(t, ok)
		require.Equal(t, strategy, parsed)
	}
	require.Equal(t, "unknown", scan.Strategy(9).String())
	_, ok := scan.ParseStrategy("Redact")
	require.False(t, ok)
}
