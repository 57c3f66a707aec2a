package scan_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/plugins/redact/scan"
)

// testCase is a text and the finds in it, in order.
type testCase struct {
	name string
	text string
	want []string
}

// runCases checks the finds of a scanner for one kind only, and that a scanner for every kind hides at least as much.
func runCases(t *testing.T, kind scan.Kind, cases []testCase) {
	t.Helper()
	names := map[string]bool{}
	for _, test := range cases {
		require.False(t, names[test.name], "two cases named %q", test.name)
		names[test.name] = true
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			matches := scan.New(kind).Find(test.text, nil)
			for _, match := range matches {
				require.Equal(t, kind, match.Kind)
				got = append(got, test.text[match.Start:match.End])
			}
			require.Equal(t, test.want, got)
			all := scan.New().Find(test.text, nil)
			for _, match := range matches {
				require.True(t, covered(all, match.Start, match.End), "%v is not covered by %v", match, all)
			}
		})
	}
}

// covered reports whether matches hide every byte of text[start:end].
func covered(matches []scan.Match, start, end int) bool {
	for _, match := range matches {
		if match.Start <= start && match.End > start {
			start = match.End
		}
	}
	return start >= end
}

func TestFindEveryKindInOrder(t *testing.T) {
	t.Parallel()
	text := "ann@shop.example paid with 4111 1111 1111 1111 from 10.1.2.3, key AKIAIOSFODNN7EXAMPLE\n" +
		"-----BEGIN PRIVATE KEY-----\nMIIEEXAMPLE\n-----END PRIVATE KEY-----\nfrom ::1"
	var got []string
	for _, match := range (&scan.Scanner{}).Find(text, nil) {
		got = append(got, match.Kind.String()+" "+text[match.Start:match.End])
	}
	require.Equal(t, []string{
		"email ann@shop.example",
		"credit_card 4111 1111 1111 1111",
		"ip 10.1.2.3",
		"api_key AKIAIOSFODNN7EXAMPLE",
		"private_key -----BEGIN PRIVATE KEY-----\nMIIEEXAMPLE\n-----END PRIVATE KEY-----",
		"ip ::1",
	}, got)
}

func TestFindAppends(t *testing.T) {
	t.Parallel()
	earlier := scan.Match{Kind: scan.Card, Start: 5, End: 1000}
	matches := scan.New().Find("to ann@shop.example", []scan.Match{earlier})
	require.Equal(t, []scan.Match{earlier, {Kind: scan.Email, Start: 3, End: 19}}, matches)
}

func TestFindOnlyTheKindsAskedFor(t *testing.T) {
	t.Parallel()
	text := "ann@shop.example 10.1.2.3 AKIAIOSFODNN7EXAMPLE"
	require.Equal(t, []scan.Match{{Kind: scan.IP, Start: 17, End: 25}}, scan.New(scan.IP, scan.Card).Find(text, nil))
	require.Len(t, scan.New(scan.Email, scan.APIKey).Find(text, nil), 2)
	require.Empty(t, scan.New(scan.Kind(200)).Find(text, nil))
}

//nolint:paralleltest // AllocsPerRun counts the allocations of every goroutine.
func TestFindAllocatesNothing(t *testing.T) {
	text := logText(64 << 10)
	buffer := make([]scan.Match, 0, 16)
	scanner := scan.New()
	require.Zero(t, testing.AllocsPerRun(10, func() { require.Empty(t, scanner.Find(text, nil)) }), "clean text")
	text += "ann@shop.example 10.1.2.3"
	require.Zero(t, testing.AllocsPerRun(10, func() { _ = scanner.Find(text, buffer[:0]) }), "finds that fit")
}

func TestOverlappingFindsJoin(t *testing.T) {
	t.Parallel()
	token := "ghp_" + strings.Repeat("EXAMPLE0", 5)
	for _, test := range []struct {
		name, text, want string
		kind             scan.Kind
	}{
		{"a key before an @ keeps its kind", "clone https://" + token + "@github.example/x", token + "@github.example", scan.APIKey},
		{"an address in a local part", "to 10.1.2.3@relay.example", "10.1.2.3@relay.example", scan.Email},
		{"a card number in a local part", "to 4111111111111111@shop.example", "4111111111111111@shop.example", scan.Card},
		{"half of a card number in a local part", "4111 1111 1111 1111@shop.example", "4111 1111 1111 1111@shop.example", scan.Card},
		{"two addresses with one part in common", "ann@a.example@b.example", "ann@a.example@b.example", scan.Email},
		{"a password that is an address", "password=ann@shop.example", "ann@shop.example", scan.APIKey},
		{"a token that is a card number", "token=4111111111111111", "4111111111111111", scan.APIKey},
		{"a key in a top-level domain", "a@b.sk-EXAMPLEexample00000000", "a@b.sk-EXAMPLEexample00000000", scan.APIKey},
		{"an IPv6 address out of a card number", "4111 1111 1111 1111:2:3:4:5:6:7:8", "4111 1111 1111 1111:2:3:4:5:6:7:8", scan.Card},
		{"bearer with a JSON Web Token", "Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", scan.APIKey},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			matches := scan.New().Find(test.text, nil)
			require.Len(t, matches, 1)
			require.Equal(t, test.kind, matches[0].Kind)
			require.Equal(t, test.want, test.text[matches[0].Start:matches[0].End])
		})
	}
}

// TestFindsSurviveTheirSurroundings puts one find of each kind on a line of its own between hostile fragments.
func TestFindsSurviveTheirSurroundings(t *testing.T) {
	t.Parallel()
	secrets := []string{
		"ann@shop.example", "4111 1111 1111 1111", "378282246310005", "10.1.2.3", "2001:db8::ff", "AKIAIOSFODNN7EXAMPLE",
		"sk-EXAMPLEexample00000000", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "-----BEGIN EC PRIVATE KEY-----",
	}
	random := rand.New(rand.NewPCG(3, 4))
	scanner := scan.New()
	for range 20_000 {
		var text strings.Builder
		for range random.IntN(6) {
			text.WriteString(fragments[random.IntN(len(fragments))])
		}
		text.WriteString("\n")
		start := text.Len()
		text.WriteString(secrets[random.IntN(len(secrets))])
		end := text.Len()
		text.WriteString("\n")
		for range random.IntN(6) {
			text.WriteString(fragments[random.IntN(len(fragments))])
		}
		matches := scanner.Find(text.String(), nil)
		if !covered(matches, start, end) {
			require.Fail(t, "not found", "%q in %q: %v", text.String()[start:end], text.String(), matches)
		}
	}
}

func TestKindNames(t *testing.T) {
	t.Parallel()
	for kind := scan.Email; kind <= scan.PrivateKey; kind++ {
		parsed, ok := scan.ParseKind(kind.String())
		require.True(t, ok)
		require.Equal(t, kind, parsed)
	}
	require.Equal(t, "credit_card", scan.Card.String())
	require.Equal(t, "unknown", scan.Kind(99).String())
	_, ok := scan.ParseKind("mac_address")
	require.False(t, ok)
}
