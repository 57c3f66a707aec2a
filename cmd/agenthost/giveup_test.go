package main

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/checkpoint"
)

// waitingThread returns a bundle whose thread ada waits for an approval.
func waitingThread(t *testing.T) *bundle {
	t.Helper()
	b := threads(t, noting)
	b.must(exitWaiting, "run", "-q", "--thread", "ada", "note a")
	return b
}

func TestAPromptIsRefusedWhileTheThreadWaits(t *testing.T) {
	t.Parallel()
	b := waitingThread(t)
	question := "write_file (call-1) needs a decision, says human_in_the_loop.after_model\n"
	command := "to continue it:\n  agenthost resume ada -f " + b.path("agenthost.yaml") + " --approve call-1\n"
	for name, args := range map[string][]string{
		"a prompt": {"run", "-q", "--thread", "ada", "hi"}, "an older checkpoint": {"run", "-q", "--thread", "ada", "--checkpoint", "1", "hi"},
	} {
		b.must(exitUsage, args...)
		said := b.err.String()
		require.True(t, strings.HasPrefix(said, "agenthost: thread \"ada\": its run waits for an answer, and a new prompt would give it up:\n"+question), "%s: %s", name, said)
		require.Contains(t, said, command)
		require.True(t, strings.HasSuffix(said, "\nto give it up and send the prompt, add --give-up\n"), "%s: %s", name, said)
		require.Empty(t, b.out.String())
		require.Equal(t, checkpoint.Waiting, b.shown("ada").State)
	}
	b.must(exitUsage, "run", "-q", "--thread", "ada", "--output", "json", "hi")
	require.Contains(t, b.out.String(), `"error": "thread \"ada\": its run waits for an answer`)

	for _, older := range [][]string{nil, {"--checkpoint", "1"}} {
		b.must(exitUsage, append([]string{"run", "--dry-run", "--thread", "ada", "hi"}, older...)...)
		require.Contains(t, b.err.String(), `thread "ada": its run waits for an answer, and a new prompt would give it up; answer it with 'agenthost resume', or add --give-up`)
	}
	b.must(exitOK, "run", "--dry-run", "--thread", "ada", "--give-up", "hi")
	require.Contains(t, b.out.String(), "  human:\n  │ hi\n")
	require.Equal(t, checkpoint.Waiting, b.shown("ada").State)

	b.must(exitOK, "run", "-q", "--thread", "ada", "--give-up", "hi")
	require.Equal(t, "hello\n", b.out.String())
	b.must(exitOK, "run", "-q", "--thread", "ada", "--give-up", "hi")
	require.NoFileExists(t, b.path("data/a"), "what was given up does not run")
}

func TestGiveUpNeedsAThreadAndAPrompt(t *testing.T) {
	t.Parallel()
	b := waitingThread(t)
	b.must(exitUsage, "run", "--give-up", "hi")
	require.Contains(t, b.err.String(), "--give-up needs a thread; name one with --thread")
	b.must(exitUsage, "run", "--thread", "ada", "--continue", "--give-up")
	require.Contains(t, b.err.String(), "run: --continue continues the run that --give-up would give up; leave out one of them")
	require.Equal(t, checkpoint.Waiting, b.shown("ada").State)
}

func TestAPersonIsAskedBeforeARunIsGivenUp(t *testing.T) {
	t.Parallel()
	b := waitingThread(t)
	const asks = "Give up that run and send the prompt? [y/n] "
	for typed, says := range map[string]string{
		"n\n": "its run still waits for an answer; the prompt was not sent", "": "its run still waits", "perhaps\nno\n": `"perhaps" is not an answer`,
	} {
		require.Equal(t, exitWaiting, b.atTerminal(typed, "run", "-q", "--thread", "ada", "hi"), typed)
		require.Contains(t, b.err.String(), "thread \"ada\": its run waits for an answer:\nwrite_file (call-1) needs a decision, ")
		require.Contains(t, b.err.String(), asks)
		require.Contains(t, b.err.String(), says)
		require.Equal(t, checkpoint.Waiting, b.shown("ada").State)
	}
	ctx, cancel := context.WithCancel(t.Context())
	in, keyboard := io.Pipe() // nobody types
	defer func() { require.NoError(t, keyboard.Close()) }()
	out := &noticing{text: asks, do: cancel}
	code := execute(ctx, []string{"run", "--thread", "ada", "-f", b.path("agenthost.yaml"), "hi"},
		streams{in: in, out: &b.out, err: out, terminal: true})
	require.Equal(t, exitSignal, code)

	require.Equal(t, exitOK, b.atTerminal("y\n", "run", "-q", "--thread", "ada", "hi"), &b.err)
	require.Equal(t, "hello\n", b.out.String())

	b = waitingThread(t)
	require.Equal(t, exitOK, b.atTerminal("", "run", "-q", "--thread", "ada", "--give-up", "hi"), &b.err)
	require.NotContains(t, b.err.String(), asks)
}
