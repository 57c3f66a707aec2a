package scan

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// work returns how many bytes Find looks at for text: each once in run, plus what the detectors count.
func work(text string, kinds ...Kind) int {
	p := pass{text: text, skip: New(kinds...).skip}
	p.run()
	return len(text) + p.work
}

// TestWorkIsLinear feeds texts that are made to have a detector read the same bytes again and again. The work per byte
// has a fixed bound and does not grow with the length of the text.
func TestWorkIsLinear(t *testing.T) {
	t.Parallel()
	const small, factor, perByte = 64 << 10, 16, 10
	for _, unit := range []string{
		"a@", "a@a.", "a@b-", "a@b.c", "a@b.co@", ".@", "aaaaaaaaaaaaaaaa@", "a@bb.bb.", "a@xn--", "é@é.",
		"1-", "1 ", "1.", "1.1.1.", "123-", "1234-", "4444 ", "411 ", "1234567 ", "4111111111111112 ", "255.255.255.",
		":", "::", "1:", "a:", "1::", "::1", "1:2:3:4:5:6:7:", "ffff:", "::ffff:1.2.3.", "12345:", "f64::",
		"-", "-----BEGIN", "-----BEGIN ", "-----BEGIN PRIVATE KEY", "-----BEGIN A-----", "-----BEGIN PRIVATE KEY-----", "-----END ",
		"-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n", "-----END PRIVATE KEY-----", "- ",
		"sk-", "sk-a", "-sk-", "sk-sk_", "xoxb-", "ghp_", "ghp_.", "_", "npm_a-", "hf_", "gh_", "sk_live_", "github_pat_", "glpat-", "glpat-.",
		"A", "AKIA", "AKIA ", "AIza", "AIza-", "eyJ", "eyJ-", "eyJ.", "-eyJ", "eyJaaaaaaa.", "eyJaaaaaaa.b.", "eyJaaaaaaa.bbbbbbbbbb ", "eyJaaaaaaa.bbbbbbbbbb..",
		"Bearer ", "bearer a", "Bearer .", "b", "Bearer aaaaaaa ", "Bearer ........ ",
		"=", " =", "        =", "token=", "token: ", "token:", "token=a", "password=", "password:a=", "password=abcdefg:", "token=$", "token=\"", "token='", "token=`",
		"token='token=\"", "token=\\\"", "token=\"\\\"", "token=\"\\\\", "token=\"aaaaaaaa bbb ", "token='aaaa token=\"aaaa ", "token=`token='token=\"",
		"token=\"[REDACTED_", "token=\"<ip_hash:", "token=*", "token=**** ", "authorization: ", "authorization:a ", "authorization:\"a ", "token:// ", "pwd=-", "pwd=[",
		"****", "*.*.*.", "************1111 ", "[REDACTED_EMAIL]", "<ip_hash:00000000>", "\x00", "\xff", "a", " ",
	} {
		t.Run(unit, func(t *testing.T) {
			t.Parallel()
			n := strings.Repeat(unit, small/len(unit))
			few, many := work(n), work(strings.Repeat(n, factor))
			require.LessOrEqual(t, few, perByte*len(n), "%.1f per byte", float64(few)/float64(len(n)))
			require.LessOrEqual(t, many, factor*few*11/10, "%d times the text is %.2f times the work", factor, float64(many)/float64(few))
			for kind := Email; kind <= PrivateKey; kind++ {
				require.LessOrEqual(t, work(n, kind), perByte*len(n), "%v alone", kind)
			}
		})
	}
}

func TestLuhn(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		number string
		want   bool
	}{
		{"4111111111111111", true},
		{"4111111111111112", false},
		{"378282246310005", true},
		{"378282246310015", false},
		{"79927398713", true},
		{"79927398710", false},
		{"0", true},
		{"18", true},
		{"81", false},
		{"", true},
		{"6011111111111117", true},
	} {
		digits := []byte(test.number)
		for i := range digits {
			digits[i] -= '0'
		}
		require.Equal(t, test.want, luhn(digits), test.number)
	}
}

func TestIssuerLength(t *testing.T) {
	t.Parallel()
	lengths := func(prefix int) (lengths []int) {
		for n := 10; n <= 20; n++ {
			if n >= minCardDigits && n <= maxCardDigits && issuerLength(prefix, n) {
				lengths = append(lengths, n)
			}
		}
		return lengths
	}
	for prefix, want := range map[int][]int{
		4000: {13, 16, 19}, 3400: {15}, 3799: {15}, 5100: {16}, 5599: {16}, 2221: {16}, 2720: {16}, 2220: nil, 2721: nil,
		2200: {16, 17, 18, 19}, 2205: nil, 3528: {16, 17, 18, 19}, 3527: nil, 3590: nil, 3600: {14, 16}, 3095: {14, 16}, 3096: nil,
		6011: {16, 17, 18, 19}, 6200: {16, 17, 18, 19}, 6759: {13, 14, 15, 16, 17, 18, 19}, 5000: {13, 14, 15, 16, 17, 18, 19},
		1111: nil, 7000: nil, 9000: nil, 0: nil, 8000: nil, 8100: {16, 17, 18, 19},
	} {
		require.Equal(t, want, lengths(prefix), "%04d", prefix)
	}
}
