package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// completed returns what a shell offers after these words.
func (b *bundle) completed(words ...string) string {
	b.t.Helper()
	require.Equal(b.t, exitOK, b.runWith(b.t.Context(), "", append([]string{"__complete"}, words...)...))
	return b.out.String()
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	b := threads(t, noting)
	file := b.path("agenthost.yaml")
	require.Equal(t, ":4\n", b.completed("run", "-f", file, "--thread", ""), "no database is made")
	require.NoFileExists(t, b.path("agent.db"))
	for _, thread := range []string{"ada", "bob-2", "$(touch x)", "-f", "two words"} {
		b.must(exitOK, "run", "-q", "--thread="+thread, "hi")
	}
	for _, words := range [][]string{
		{"run", "-f", file, "--thread", ""},
		{"chat", "-f", file, "-t", ""},
		{"resume", "-f", file, ""},
		{"threads", "show", "-f", file, ""},
		{"threads", "history", "--store", "sqlite:" + b.path("agent.db"), ""},
	} {
		require.Equal(t, "ada\nbob-2\n:4\n", b.completed(words...), "%v: what means something else to a shell is not offered", words)
	}
	require.Equal(t, "bob-2\n:4\n", b.completed("run", "-f", file, "--thread", "b"))
	require.Equal(t, ":4\n", b.completed("resume", "-f", file, "ada", ""))
	require.Equal(t, ":4\n", b.completed("run", "-f", b.path("none.yaml"), "--thread", ""))
	require.Equal(t, "yaml\nyml\n:8\n", b.completed("run", "-f", ""))
	require.Equal(t, "yaml\nyml\n:8\n", b.completed("threads", "list", "-f", ""))
	require.Regexp(t, `(?s)^openai:\nanthropic:\ngemini:\n.*\nollama:\n.*\n:6\n$`, b.completed("chat", "--model", ""))
	require.Equal(t, "text\njson\njsonl\n:4\n", b.completed("run", "--output", ""))
	require.Equal(t, "text\njson\n:4\n", b.completed("validate", "-o", ""))
	require.Equal(t, "wasm\n:8\n", b.completed("plugin", "inspect", ""))
	require.Subset(t, providers(), []string{"openai", "anthropic", "gemini", "ollama", "mistralai", "scripted"})
	require.Equal(t, ":16\n", b.completed("init", ""))
	require.Equal(t, strings.Join(providers(), "\n")+"\n:4\n", b.completed("init", "--provider", ""))
}

func TestCompletionScripts(t *testing.T) {
	t.Parallel()
	b := setup(t, say)
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		require.Equal(t, exitOK, b.runWith(t.Context(), "", "completion", shell), &b.err)
		require.Contains(t, b.out.String(), "agenthost")
	}
	require.Empty(t, b.err.String())
	wd, err := os.Getwd()
	require.NoError(t, err)
	require.NotContains(t, b.out.String(), wd)
	require.Positive(t, strings.Count(b.out.String(), "__complete"))
}
