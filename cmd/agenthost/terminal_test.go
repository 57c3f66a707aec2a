package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/checkpoint"
)

func TestARunIsAnsweredAtTheTerminal(t *testing.T) {
	t.Parallel()
	b := threads(t, noting)
	require.Equal(t, exitOK, b.atTerminal("a\nr\nnot this\n", "run", "-q", "--thread", "ada", "--as", "bob", "note a b"), &b.err)
	require.Equal(t, "written\n", b.out.String())
	require.FileExists(t, b.path("data/a"))
	require.NoFileExists(t, b.path("data/b"))
	require.Contains(t, b.err.String(), "1 of 2: write_file (call-1) needs a decision, says human_in_the_loop.after_model\n")
	require.Equal(t, exitOK, b.threads("history", "ada"))
	require.Contains(t, b.out.String(), "bob answered ask-")
}

func TestARunWithoutAThreadIsAnsweredToo(t *testing.T) {
	t.Parallel()
	const lost = "· this run is not kept, because the manifest's checkpoint names no database: if you leave the question open, the run is lost\n"
	for checkpoint, kept := range map[string]bool{"sqlite:agent.db": true, "memory": false, "": false} {
		manifest := strings.Replace(noting, "sqlite:agent.db", checkpoint, 1)
		if checkpoint == "" {
			manifest = strings.Replace(noting, "checkpoint: sqlite:agent.db\n", "", 1)
		}
		b := threads(t, manifest)
		require.Equal(t, exitOK, b.atTerminal("a\n", "run", "-q", "note a"), &b.err)
		require.Equal(t, "written\n", b.out.String())
		require.NotContains(t, b.err.String(), "continue")
		require.Equal(t, exitWaiting, b.atTerminal("", "run", "-q", "-o", "json", "note a"))
		said, document := b.err.String(), b.out.String()
		if kept {
			require.NotContains(t, said, lost)
			require.Regexp(t, `\n  agenthost resume run-\d{8}-\d{6}-[a-z2-9]{6} -f `, said)
			require.Regexp(t, `"thread": "run-`, document)
			continue
		}
		require.True(t, strings.HasPrefix(said, lost), "it says so before it asks: %s", said)
		require.Equal(t, 1, strings.Count(said, lost))
		require.Contains(t, said, cannotResume)
		require.NotContains(t, document, `"thread"`, "a name of a thread that is not kept is of no use")
	}
}

func TestAPromptThatIsLeftLeavesTheRunInterrupted(t *testing.T) {
	t.Parallel()
	b := threads(t, noting)
	for _, args := range [][]string{{"run", "-q", "--thread", "ada", "note a b"}, {"resume", "-q", "ada"}} {
		require.Equal(t, exitWaiting, b.atTerminal("a\n", args...))
		require.Contains(t, b.err.String(), "  agenthost resume ada -f "+b.path("agenthost.yaml")+" --approve call-1 --approve call-2\n")
		require.Equal(t, checkpoint.Waiting, b.shown("ada").State)
	}
	require.Len(t, b.shown("ada").Interrupts, 1)
	require.NoFileExists(t, b.path("data/a"))

	ctx, cancel := context.WithCancel(t.Context())
	in, keyboard := io.Pipe()
	defer func() { require.NoError(t, keyboard.Close()) }()
	out := &noticing{text: "[r]eject > ", do: cancel}
	code := execute(ctx, []string{"resume", "ada", "-f", b.path("agenthost.yaml")}, streams{in: in, out: &b.out, err: out, terminal: true})
	require.Equal(t, exitWaiting, code, "Ctrl-C at the prompt")
	require.Contains(t, out.String(), "--approve call-1 --approve call-2\n")
}

func TestResumeAsksAtTheTerminal(t *testing.T) {
	t.Parallel()
	b := threads(t, noting)
	b.must(exitWaiting, "run", "--thread", "ada", "note a")
	require.Equal(t, exitOK, b.atTerminal("reject\n\n", "resume", "-q", "ada"), &b.err)
	require.Equal(t, "not written\n", b.out.String())
	require.Equal(t, exitOK, b.atTerminal("", "resume", "-q", "ada"), "nothing waits")

	b.must(exitWaiting, "run", "--thread", "ada", "note a b")
	require.Equal(t, exitOK, b.atTerminal("", "resume", "-q", "ada", "--approve", "call-2", "--approve", "call-3"), "flags answer")
}

func TestABreakpointAsksWhetherToGoOn(t *testing.T) {
	t.Parallel()
	b := threads(t, noting+"interrupt_before: [tools]\n")
	require.Equal(t, exitOK, b.atTerminal("a\ny\n", "run", "-q", "--thread", "ada", "note a"), &b.err)
	require.Contains(t, b.err.String(), "The run stopped at a breakpoint before tools. Continue? [y/n] ")
	require.Equal(t, exitWaiting, b.atTerminal("a\nn\n", "run", "-q", "--thread", "bob", "note b"))
	require.Contains(t, b.err.String(), "the run is interrupted at a breakpoint, before tools\nto continue it:\n  agenthost resume bob ")
}

func TestTheAnswerToAPluginsQuestion(t *testing.T) {
	t.Parallel()
	module, err := badGuest()
	require.NoError(t, err)
	b := setup(t, say+"checkpoint: sqlite:agent.db\nmiddleware:\n  - plugin: "+module+"\n    config: {how: ask}\n")
	require.Equal(t, exitOK, b.atTerminal("yes\n", "run", "-q", "--thread", "ada", "--output", "json", "hi"), &b.err)
	require.Contains(t, b.err.String(), "approve of bad.after_model (id ask-")
	require.Contains(t, b.err.String(), ")\n  \"shall I?\"\n  answer (JSON or text) > ")
	var doc interruptedDocument
	require.NoError(t, json.Unmarshal(b.out.Bytes(), &doc), "one result is printed, the last")
	require.Equal(t, "completed", string(doc.Status))

	b.must(exitWaiting, "run", "-q", "--thread", "bob", "hi")
	printed := b.err.String()
	ask := b.shown("bob").Interrupts[0].ID
	require.Contains(t, printed, " --respond "+ask+" --message ANSWER\n")
	b.must(exitOK, "resume", "-q", "bob", "--respond", ask, "--message", "true")
	require.Equal(t, "hello\n", b.out.String())
}

func TestTheEditorOfTheTerminal(t *testing.T) {
	b := threads(t, noting)
	b.write("edit", "#!/bin/sh\necho '{\"path\": \"edited\", \"content\": \"three\"}' >\"$1\"\n")
	require.NoError(t, os.Chmod(b.path("edit"), 0o700))
	t.Setenv("VISUAL", b.path("edit"))
	require.Equal(t, exitOK, b.atTerminal("e\n", "run", "-q", "--thread", "ada", "note a"), &b.err)
	text, err := os.ReadFile(b.path("data/edited"))
	require.NoError(t, err)
	require.Equal(t, "three", string(text))
}
