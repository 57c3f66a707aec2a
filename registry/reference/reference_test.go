package reference_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/registry/reference"
)

var sum = "sha256:" + strings.Repeat("0a", 32)

func TestParse(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]reference.Reference{
		"ghcr.io/acme/redact:1.2":                {Host: "ghcr.io", Repository: "acme/redact", Tag: "1.2"},
		"oci://localhost:5000/redact:latest":     {Host: "localhost:5000", Repository: "redact", Tag: "latest"},
		"localhost/a:b":                          {Host: "localhost", Repository: "a", Tag: "b"},
		"[::1]:5000/a/b/c:1":                     {Host: "[::1]:5000", Repository: "a/b/c", Tag: "1"},
		"127.0.0.1:80/a-b__c.d:v1@" + sum:        {Host: "127.0.0.1:80", Repository: "a-b__c.d", Tag: "v1", Digest: sum},
		"registry.example.com/team/agent@" + sum: {Host: "registry.example.com", Repository: "team/agent", Digest: sum},
	} {
		got, err := reference.Parse(given)
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.Equal(t, strings.TrimPrefix(given, reference.Scheme), got.String())
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for given, says := range map[string]string{
		"":                          "does not begin with the host",
		"redact:1.2":                "does not begin with the host",
		"acme/redact:1.2":           "does not begin with the host",
		"https://ghcr.io/a/b:1":     "it begins with https:// in place of oci://",
		"user@ghcr.io/a:1":          "after @ must be sha256:",
		"ghcr.io/acme/redact":       "it has no tag",
		"ghcr.io/acme/Redact:1":     "the name must consist of lower-case letters",
		"ghcr.io/../redact:1":       "the name must consist of lower-case letters",
		"ghcr.io//redact:1":         "the name must consist of lower-case letters",
		"ghcr.io/redact:":           "the tag must consist of",
		"ghcr.io/redact:a/b":        "the tag must consist of",
		"ghcr.io/redact@sha512:00":  "after @ must be sha256:",
		"ghcr.io/redact@" + sum[:9]: "after @ must be sha256:",
		"gh\x1b[31mcr.io/redact:1":  "the host of the registry is not valid",
		"ghcr.io/" + strings.Repeat("a", 300) + ":1": "the name must consist of lower-case letters",
	} {
		_, err := reference.Parse(given)
		require.ErrorContains(t, err, says, given)
		require.NotContains(t, err.Error(), "\x1b")
	}
}

func FuzzParse(f *testing.F) {
	f.Add("ghcr.io/acme/redact:1.2")
	f.Add("oci://localhost:5000/a@" + sum)
	f.Fuzz(func(t *testing.T, given string) {
		ref, err := reference.Parse(given)
		if err != nil {
			return
		}
		again, err := reference.Parse(ref.String())
		require.NoError(t, err)
		require.Equal(t, ref, again)
	})
}
