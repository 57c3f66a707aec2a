package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Errors about flags and arguments name the command, and say what is wrong and what to write.
func TestErrorsOfTheCommandLineSayWhatToWrite(t *testing.T) {
	t.Parallel()
	b := setup(t, say)
	for _, test := range []struct {
		args []string
		says string
	}{
		{[]string{"run", "--nonsense", "hi"}, "run: there is no flag --nonsense; leave it out; if it is an argument, write -- before it\n"},
		{[]string{"run", "--thred", "ada", "hi"}, "run: there is no flag --thred; did you mean --thread?\n"},
		{[]string{"run", "-Z", "hi"}, "run: there is no flag -Z; if it is an argument, write -- before it\n"},
		{[]string{"run", "-qZ", "hi"}, "run: there is no flag -Z; if it is an argument, write -- before it\n"},
		{[]string{"run", "-5 degrees"}, "run: there is no flag -5 in -5 degrees; if it is an argument, write -- before it\n"},
		{[]string{"validate", "-Z"}, "validate: there is no flag -Z\n"},
		{[]string{"run", "--thread"}, "run: --thread needs a value; write --thread NAME\n"},
		{[]string{"run", "hi", "-t"}, "run: --thread needs a value; write --thread NAME\n"},
		{[]string{"chat", "--set"}, "chat: --set needs a value; write --set KEY=VALUE\n"},
		{[]string{"run", "--wait", "x", "hi"}, "run: --wait x: write a duration with a unit, such as 30s or 2m\n"},
		{[]string{"run", "--quiet=x", "hi"}, "run: --quiet x: write true or false\n"},
		{[]string{"run", "--checkpoint", "-1", "hi"}, "run: --checkpoint -1: write the number in digits only, such as 50\n"},
		{[]string{"run", "--=x"}, "run: --=x is not a flag; write --NAME or --NAME=VALUE; if it is an argument, write -- before it\n"},
		{[]string{"--nonsense"}, "there is no flag --nonsense; leave it out\n"},
		{[]string{"--accept-changes", "run", "hi"}, "there is no flag --accept-changes here; write it after the command: agenthost chat --accept-changes\n"},
		{[]string{"threads", "list", "--manifest", "a", "--store", "b"}, "threads list: --manifest and --store exclude each other; leave out one of them\n"},
		{[]string{"completion", "bash", "x"}, "completion bash: the command takes no arguments; remove \"x\"\n"},
		{[]string{compileCommand}, "compile-module: DIR is missing\n"},
	} {
		require.Equal(t, exitUsage, b.runWith(t.Context(), "", test.args...), test.args)
		require.Contains(t, b.err.String(), "agenthost: "+test.says, test.args)
		require.Contains(t, b.err.String(), " --help' for usage\n")
		require.Empty(t, b.out.String())
	}
}
