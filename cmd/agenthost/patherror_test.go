package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Mistakes in paths are told in words, and not as the system call that failed.
func TestMistakesInPathsAreTold(t *testing.T) {
	t.Parallel()
	b := setup(t, say)
	gone := b.path("gone")
	noServe := gone + ": there is no such file (expected a serve.yaml)"
	noManifest := gone + ": there is no such file (expected a manifest)"
	below := b.path("agenthost.yaml/x")
	for _, test := range []struct {
		says string
		args []string
	}{
		{gone + ": there is no such file", []string{"run", "-f", b.path("agenthost.yaml"), "--file", gone, "hi"}},
		{gone + ": there is no such file", []string{"plugin", "inspect", gone}},
		{gone + ": there is no such file", []string{"plugin", "check", gone}},
		{gone + ": there is no such file", []string{"plugin", "pack", gone}},
		{gone + ": there is no such file", []string{"plugin", "replay", gone}},
		{gone + ": there is no such file", []string{"plugin", "test", gone}},
		{gone + ": there is no such file", []string{"plugin", "check", redact, "--config", "@" + gone}},
		{gone + ": there is no such directory", []string{"plugin", "build", gone}},
		{"gone: there is no such file", []string{"run", "-f", b.path("agenthost.yaml"), "--set", "middleware=[{plugin: gone}]", "hi"}},
		{gone + ": there is no such directory", []string{"run", "-f", b.path("agenthost.yaml"), "--set", "tools=[{files: {root: gone}}]", "hi"}},
		{"there is no directory " + gone, []string{"run", "-f", b.path("agenthost.yaml"), "--record", gone + "/c", "hi"}},
		{"there is no directory " + gone, []string{"diagnostics", "-o", gone + "/x.zip"}},
		{noServe + "; name another one with --config FILE", []string{"serve", "--config", gone}},
		{noServe + "; name another one with --config FILE", []string{"dev", "--config", gone}},
		{noServe + "; name another one with --config FILE", []string{"validate", "-f", b.path("agenthost.yaml"), "--config", gone}},
		{noServe + "\n        → name another one with --config FILE", []string{"doctor", "-f", b.path("agenthost.yaml"), "--config", gone}},
		{b.dir + ": is a directory, not a regular file (expected a serve.yaml)", []string{"serve", "--config", b.dir}},
		{noManifest + "; name another one with -f FILE", []string{"serve", "-f", gone}},
		{noManifest + "; name another one with -f FILE", []string{"serve", "-f", b.path("agenthost.yaml"), "-f", gone}},
		{noManifest + "; name another one with -f FILE", []string{"validate", "-f", gone}},
		{noManifest + "\n        → name another one with -f FILE", []string{"doctor", "-f", gone}},
		{below + ": a part of the path is a file, and not a directory", []string{"validate", "-f", below}},
	} {
		require.Equal(t, exitUsage, b.runWith(t.Context(), "", test.args...), "%q: %s%s", test.args, &b.out, &b.err)
		said := b.out.String() + b.err.String()
		require.Contains(t, said, test.says)
		require.NotRegexp(t, `\b(open|stat|lstat) /`, said)
	}
}
