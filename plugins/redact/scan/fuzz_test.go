package scan_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/plugins/redact/scan"
)

// fragments are what hostile and unlucky texts are made of: finds, halves of finds, and what may touch them.
var fragments = []string{
	"ann@shop.example", "@", "a@", "a@b.co", ".", "..", ",", ":", "::", "=", "==", " ", "  ", "\n", "\t", "-", "--", "_", "/", "//",
	"4111 1111 1111 1111", "4242424242424242", "4242-4242-4242-4242", "4242", " 4242", "-4242", "378282246310005", "1111", "123",
	"10.1.2.3", "1.2.3.4.5", ".1.2.3.4", "255", "0", "120.0.0.0", "Chrome/", "::1", "fe80::1", "2001:db8::ff", "1:2:3:4:5:6:7:8", ":2:3:4:5:6:7:8", "beef", "dead:",
	"sk-EXAMPLEexample00000000", "sk-ant-", "sk-", "xoxb-0000000000EX", "ghp_" + strings.Repeat("EXAMPLE0", 5), "gh", "p_", "npm_" + strings.Repeat("a", 36),
	"AKIAIOSFODNN7EXAMPLE", "AKIA", "AIza" + strings.Repeat("E", 35), "eyJhbGciOiJIUzI1NiJ9", ".eyJzdWIiOiIxMjM0NTY3In0", ".c2lnbmF0dXJl", "eyJ",
	"Bearer ", "bearer\t", "Basic ", "Authorization: ", "password", "password=", "pwd=", "token", "token: ", "api_key", "api key", `"secret": "`, `\"token\":\"`, `["token"] = '`, "**", "** ",
	"hunter22", "correcthorse", "abcdefgh", "abc", "Zz9", "$HOME_1", "${X}", "{{x}}", "<", ">", "[", "]", "(", ")", "{", "}", "&", ";", "|", `\`, `"`, "'", "`", "*", "****", "************", "%", "+", "~", "#", "!", "?",
	"-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----", "-----BEGIN ", "-----END ", "-----", "PRIVATE KEY", "-----BEGIN PGP PRIVATE KEY BLOCK-----", "\nMIIEEXAMPLE\n",
	"[REDACTED_EMAIL]", "[REDACTED_", "<ip_hash:deadbeef>", "_hash:", "*.*.*.4", "*.*.*.", "****-****-****-", "**** **** **** ", "x@****.com",
	"é", "用户", "。", "\u00a0", "xn--p1ai", "a@xn--b.xn--p1ai", "www.", "x", "9", "F", "J", "B",
}

// properties checks what must hold of every text and every scanner.
func properties(t require.TestingT, text string, kinds []scan.Kind) {
	scanner := scan.New(kinds...)
	matches := scanner.Find(text, nil)
	end := 0
	for i, match := range matches {
		require.GreaterOrEqual(t, match.Start, end, "match %d of %q overlaps or is out of order: %v", i, text, matches)
		require.Greater(t, match.End, match.Start, "match %d of %q is empty: %v", i, text, matches)
		require.LessOrEqual(t, match.End, len(text))
		end = match.End
	}
	for _, strategy := range []scan.Strategy{scan.Redact, scan.Mask, scan.Hash} {
		once := string(scan.Apply(nil, text, matches, strategy))
		if again := scanner.Find(once, nil); len(again) > 0 {
			require.Empty(t, again, "%s of %q %v finds more in %q: %q", strategy, text, matches, once, once[again[0].Start:again[0].End])
		}
		if utf8.ValidString(text) {
			require.True(t, utf8.ValidString(once), "%s of %q cuts a sequence: %q", strategy, text, once)
		}
	}
	if len(matches) > 0 {
		require.Empty(t, scan.Apply(nil, text, matches, scan.Block))
	} else {
		require.Equal(t, text, string(scan.Apply(nil, text, matches, scan.Block)))
	}
}

// kindsOf turns the bits of a number into kinds.
func kindsOf(bits uint8) []scan.Kind {
	var kinds []scan.Kind
	for kind := scan.Email; kind <= scan.PrivateKey; kind++ {
		if bits&(1<<kind) != 0 {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

func FuzzFindAndApply(f *testing.F) {
	for i, fragment := range fragments {
		f.Add(fragment, uint8(i))
		f.Add(fragment+fragments[(i*7+3)%len(fragments)]+" "+fragments[(i*13+5)%len(fragments)], uint8(0))
	}
	f.Fuzz(func(t *testing.T, text string, bits uint8) {
		properties(t, text, kindsOf(bits))
	})
}

// TestPropertiesOfMixedFragments does what the fuzz target does, with texts that a fuzzer takes long to come by.
func TestPropertiesOfMixedFragments(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		var text strings.Builder
		for range 1 + random.IntN(9) {
			text.WriteString(fragments[random.IntN(len(fragments))])
		}
		bits := uint8(0)
		if random.IntN(4) == 0 {
			bits = uint8(random.IntN(32))
		}
		properties(t, text.String(), kindsOf(bits))
	}
}
