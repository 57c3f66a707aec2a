package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUnknownCommandsAreUsageErrors(t *testing.T) {
	t.Parallel()
	b := setup(t, say)
	for _, test := range []struct {
		args []string
		says string
	}{
		{[]string{"rn"}, "agenthost: there is no command \"rn\"; did you mean \"run\"?\nRun 'agenthost --help' for usage\n"},
		{[]string{"threads", "frok"}, "agenthost: threads: there is no command \"frok\"; did you mean \"fork\"?\nRun 'agenthost threads --help' for usage\n"},
		{[]string{"rn", "-f", "a.yaml"}, "agenthost: there is no command \"rn\"; did you mean \"run\"?\n"},
		{[]string{"threads", "frok", "--last"}, "threads: there is no command \"frok\"; did you mean \"fork\"?"},
		{[]string{"worker", "-f", "a.yaml"}, "\"worker\" is a command of agenthost-fleet, which runs agents on Temporal; see docs/fleet.md"},
		{[]string{"threads", "remov"}, "did you mean \"remove\"?"},
		{[]string{"plugin", "xyz"}, "agenthost: plugin: there is no command \"xyz\"\n"},
		{[]string{"help", "foo"}, "agenthost: there is no command \"foo\"\nRun 'agenthost --help' for usage\n"},
		{[]string{"help", "valdate"}, "did you mean \"validate\"?"},
		{[]string{"help", "threads", "frok"}, "threads: there is no command \"frok\"; did you mean \"fork\"?"},
		{[]string{"help", "run", "x"}, "run: the command has no subcommands; remove \"x\""},
		{[]string{"completion", "fsh"}, "completion: there is no command \"fsh\"; did you mean \"fish\"?"},
		{[]string{"compile-modul"}, "there is no command \"compile-modul\"\n"}, // the command is hidden
	} {
		require.Equal(t, exitUsage, b.runWith(t.Context(), "", test.args...), test.args)
		require.Contains(t, b.err.String(), test.says)
		require.Empty(t, b.out.String())
	}
	for _, args := range [][]string{{}, {"help"}, {"help", "plugin", "check"}, {"threads"}, {"completion"}, {"help", "completion", "bash"}, {"completion", "bash"}} {
		require.Equal(t, exitOK, b.runWith(t.Context(), "", args...), args)
		require.Empty(t, b.err.String())
		require.NotEmpty(t, b.out.String())
	}
}

// A file that the command line names and that is missing is wrong usage, for every command.
func TestMissingFilesAreUsageErrors(t *testing.T) {
	t.Parallel()
	b := threads(t, noting)
	gone := b.path("gone")
	for _, args := range [][]string{
		{"plugin", "inspect", gone},
		{"plugin", "inspect", "--json", gone},
		{"plugin", "check", gone},
		{"plugin", "bench", gone},
		{"plugin", "test", gone},
		{"plugin", "pack", gone},
		{"plugin", "replay", gone},
		{"plugin", "build", gone},
		{"plugin", "check", redact, "--config", "@" + gone},
		{"run", "-f", gone, "hi"},
		{"chat", "-f", gone},
		{"resume", "t", "-f", gone},
		{"validate", "-f", gone},
		{"order", "-f", gone},
		{"graph", "-f", gone},
		{"doctor", "-f", gone},
		{"mcp", "-f", gone},
		{"threads", "list", "-f", gone},
		{"threads", "list", "--store", "sqlite:" + gone},
	} {
		require.Equal(t, exitUsage, b.runWith(t.Context(), "", args...), "%q: %s%s", args, &b.out, &b.err)
	}
	b.write("bad.wasm", "no module")
	require.Equal(t, exitPlugin, b.runWith(t.Context(), "", "plugin", "inspect", gone, b.path("bad.wasm"), gone), "a plugin that is refused counts more")
}

func TestAPluginThatIsListedTwiceIsNamed(t *testing.T) {
	t.Parallel()
	module, err := filepath.Abs(redact)
	require.NoError(t, err)
	b := setup(t, say+"middleware:\n  - plugin: "+module+"\n  - plugin: "+module+"\n")
	require.Equal(t, exitUsage, b.run("validate"))
	require.Contains(t, b.err.String(), `middleware[1]: the plugin is listed twice: entry 1 of the middleware, "redact", is the same module`)
}
