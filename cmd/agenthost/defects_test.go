package main

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSecretsOfSetAreNotInTheCommandsThatContinue(t *testing.T) {
	t.Parallel()
	b := threads(t, noting)
	const secret = "sk-1234567890"
	b.must(exitWaiting, "run", "--thread", "ada", "--set", "recursion_limit=50", "--set", "tools[1].http={name: x, url: 'https://x.test', headers: {Authorization: "+secret+"}}", "note a")
	require.NotContains(t, b.err.String(), secret)
	require.Contains(t, b.err.String(), " --set recursion_limit=50 --set 'tools[1].http=SECRET' --approve call-1\n")
	require.Contains(t, b.err.String(), "\n  (values of --set that may be secrets are not shown: put yours in place of SECRET)\n")
}

func TestASignalEndsTheWaitForStandardInput(t *testing.T) {
	t.Parallel()
	b := threads(t, noting)
	b.must(exitWaiting, "run", "-q", "--thread", "ada", "note a")
	for _, args := range [][]string{{"run", "-"}, {"resume", "ada", "--answer", "-"}, {"resume", "ada", "--edit", "call-1=-"}} {
		in, keyboard := io.Pipe()
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() {
			_, _ = keyboard.Write([]byte("x")) // returns when the command reads
			cancel(errors.New("a signal"))
		}()
		b.out.Reset()
		b.err.Reset()
		args = append([]string{args[0], "-f", b.path("agenthost.yaml")}, args[1:]...)
		require.Equal(t, exitSignal, execute(ctx, args, streams{in: in, out: &b.out, err: &b.err}), "%v: %s", args, &b.err)
		require.Contains(t, b.err.String(), "agenthost: interrupted")
		require.NoError(t, keyboard.Close())
	}
}

func TestHelpAboutAnUnknownCommandIsAnError(t *testing.T) {
	t.Parallel()
	b := setup(t, say)
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"foo", "--help"}, `agenthost: there is no command "foo"`},
		{[]string{"valdate", "-h"}, `did you mean "validate"?`},
		{[]string{"threads", "frok", "--help"}, `threads: there is no command "frok"; did you mean "fork"?`},
	} {
		require.Equal(t, exitUsage, b.runWith(t.Context(), "", test.args...), test.args)
		require.Contains(t, b.err.String(), test.want)
		require.Empty(t, b.out.String())
	}
	for _, args := range [][]string{{"--help"}, {"threads", "--help"}, {"run", "hi", "--help"}} {
		require.Equal(t, exitOK, b.runWith(t.Context(), "", args...), args)
		require.Contains(t, b.out.String(), "Usage:")
	}
}

// Advice that protects is shown even with --quiet: a misspelt name limits nothing.
func TestQuietDoesNotHideAdvice(t *testing.T) {
	t.Parallel()
	b := setup(t, say+"middleware: [tool_error: {tools: [serach], on_error: {format: failed}}]\n")
	require.Equal(t, exitOK, b.run("run", "--quiet", "hi"), &b.err)
	require.Contains(t, b.err.String(), "names tools that the agent does not have: serach; it has none")
}

func TestAMisspeltToolOfAPrefixedServer(t *testing.T) {
	t.Parallel()
	b := setup(t, say+"tools: [{mcp: {command: [nothing], prefix: fs_}}]\nmiddleware: [human_in_the_loop: {interrupt_on: {sf_write: true}}]\n")
	require.Equal(t, exitUsage, b.run("validate"))
	require.Contains(t, b.err.String(), `it guards the tool "sf_write", which the agent does not have: no server of tools in its configuration may have it; `+
		"check the prefix, include and exclude of the servers")
	require.NotContains(t, b.err.String(), "[]")
}

func TestAnMCPServersSecretArgumentsAreHidden(t *testing.T) {
	t.Setenv("DEFECTS_TEST_TOKEN", "env-1234567")
	b := setup(t, say+"tools: [{mcp: {command: [sh, -c, 'echo $0 $1 $2 $3 $4 $5 >&2; exit 1', '--verbose=${DEFECTS_TEST_TOKEN}', --api-key, flag-1234567, "+
		"--token=equal-1234567, -H, 'Authorization: Bearer head-1234567']}}]\n")
	b.run("run", "hi")
	require.Contains(t, b.err.String(), "--api-key")
	require.NotContains(t, b.err.String(), "1234567")
}

func TestMaxTokensMayHaveAUnit(t *testing.T) {
	t.Parallel()
	b := setup(t, "apiVersion: agenthost/v1\nmodel: {provider: openai, name: m, max_tokens: 10k}\n")
	require.Equal(t, exitOK, b.run("validate"), &b.err)
	require.Equal(t, exitUsage, b.run("validate", "--set", "model.max_tokens=10x"))
	require.Contains(t, b.err.String(), "write a whole number, optionally followed by k, M, G or T: 10k, 1G")
	require.Equal(t, exitUsage, b.run("validate", "--set", "model.max_tokens=0"))
}
