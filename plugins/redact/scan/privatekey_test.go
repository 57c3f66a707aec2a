package scan_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/plugins/redact/scan"
)

// block returns a PEM block with that label.
func block(label string) string {
	return "-----BEGIN " + label + "-----\nMIIEEXAMPLE+/==\n-----END " + label + "-----"
}

func TestPrivateKey(t *testing.T) {
	t.Parallel()
	rsa := block("RSA PRIVATE KEY")
	cut := strings.TrimSuffix(rsa, "-----END RSA PRIVATE KEY-----")
	runCases(t, scan.PrivateKey, []testCase{
		{"PKCS 8", block("PRIVATE KEY"), []string{block("PRIVATE KEY")}},
		{"RSA", rsa, []string{rsa}},
		{"EC", block("EC PRIVATE KEY"), []string{block("EC PRIVATE KEY")}},
		{"DSA", block("DSA PRIVATE KEY"), []string{block("DSA PRIVATE KEY")}},
		{"OpenSSH", block("OPENSSH PRIVATE KEY"), []string{block("OPENSSH PRIVATE KEY")}},
		{"encrypted", block("ENCRYPTED PRIVATE KEY"), []string{block("ENCRYPTED PRIVATE KEY")}},
		{"OpenPGP", block("PGP PRIVATE KEY BLOCK"), []string{block("PGP PRIVATE KEY BLOCK")}},
		{"text around it", "key:\n" + rsa + "\nbye", []string{rsa}},
		{"no line break before it", "key=" + rsa, []string{rsa}},
		{"in JSON", `{"k":"` + strings.ReplaceAll(rsa, "\n", `\n`) + `"}`, []string{strings.ReplaceAll(rsa, "\n", `\n`)}},
		{"more dashes before it", "---" + rsa, []string{rsa}},
		{"two", rsa + "\n" + block("PRIVATE KEY"), []string{rsa, block("PRIVATE KEY")}},
		{"cut off", "a " + cut, []string{cut}},
		{"cut off within the last line", rsa[:len(rsa)-8] + "\nmore", []string{rsa[:len(rsa)-8] + "\nmore"}},
		{"cut off behind the first line", "-----BEGIN PRIVATE KEY-----", []string{"-----BEGIN PRIVATE KEY-----"}},
		{"the end of a certificate is not its end", cut + "-----END CERTIFICATE-----\nx", []string{cut + "-----END CERTIFICATE-----\nx"}},
		{"a certificate and a key", block("CERTIFICATE") + "\n" + rsa, []string{rsa}},
		{
			"headers", "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nabc\n-----END RSA PRIVATE KEY-----",
			[]string{"-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nabc\n-----END RSA PRIVATE KEY-----"},
		},

		{"a certificate", block("CERTIFICATE"), nil},
		{"a public key", block("PUBLIC KEY"), nil},
		{"an OpenPGP message", block("PGP MESSAGE"), nil},
		{"an end alone", "-----END PRIVATE KEY-----", nil},
		{"the words alone", "BEGIN PRIVATE KEY", nil},
		{"four dashes", "----BEGIN PRIVATE KEY-----", nil},
		{"four dashes behind it", "-----BEGIN PRIVATE KEY----", nil},
		{"small letters", "-----begin private key-----", nil},
		{"a label that is too long", "-----BEGIN " + strings.Repeat("A", 60) + " PRIVATE KEY-----", nil},
		{"a rule", strings.Repeat("-", 80), nil},
		{"a line break in the label", "-----BEGIN\nPRIVATE KEY-----", nil},
		{"SSH's public form", "ssh-rsa AAAAB3EXAMPLE ann@host", nil},
		{"lines with dashes", "-- BEGIN PRIVATE KEY --", nil},
	})
}

func TestPrivateKeyEndsWhatStandsBeforeIt(t *testing.T) {
	t.Parallel()
	rsa := block("RSA PRIVATE KEY")
	for _, before := range []string{"sk-EXAMPLEexample00000000", "password=hunter22", `password="hunter22`, "Bearer 0123456789abcdef", "ann@shop.xn--p1ai"} {
		text := before + rsa + "tail"
		matches := scan.New().Find(text, nil)
		require.Len(t, matches, 2, text)
		require.Equal(t, scan.Match{Kind: scan.PrivateKey, Start: len(before), End: len(before) + len(rsa)}, matches[1])
	}
	text := rsa + "ann@shop.example"
	require.Equal(t, "[REDACTED_PRIVATE_KEY][REDACTED_EMAIL]", string(scan.Apply(nil, text, scan.New().Find(text, nil), scan.Redact)))
}
