package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/cmd/agenthost/internal/threadview"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/test/pgtest"
)

func TestThreadsAreListed(t *testing.T) {
	t.Parallel()
	b := threads(t, noting)
	b.must(exitOK, "run", "--thread", "done", "hi")
	require.Equal(t, exitOK, b.threads("list"))
	require.Regexp(t, `^THREAD  MESSAGES  UPDATED +STATE  NEXT\ndone    2         \S+ \S+Z  done\n$`, b.out.String())
	b.must(exitWaiting, "run", "--thread", "waiting", "note a")
	release := b.hold("done")
	defer release()
	require.Equal(t, exitOK, b.threads("list", "--json"))
	states := map[string]checkpoint.State{}
	for line := range strings.Lines(b.out.String()) {
		var s threadview.Summary
		require.NoError(t, json.Unmarshal([]byte(line), &s))
		states[s.Thread] = s.State
	}
	require.Equal(t, map[string]checkpoint.State{"done": checkpoint.Running, "waiting": checkpoint.Waiting}, states)
}

func TestThreadsNeedNoAgent(t *testing.T) {
	t.Parallel()
	b := threads(t, noting)
	b.must(exitWaiting, "run", "--thread", "ada", "note a")
	b.write("agenthost.yaml", "model: ${NO_SUCH_VARIABLE}\nmiddleware: [{plugin: none.wasm}]\ncheckpoint: sqlite:agent.db\n")
	require.Equal(t, exitOK, b.threads("show", "ada"), &b.err)
	require.Contains(t, b.out.String(), "\n  agenthost resume ada -f "+b.path("agenthost.yaml")+" --approve call-1\n")

	store := "sqlite:" + b.path("agent.db")
	require.Equal(t, exitOK, b.runWith(t.Context(), "", "threads", "show", "ada", "--store", store), &b.err)
	require.Contains(t, b.out.String(), "\n  agenthost resume ada -f "+b.path("agenthost.yaml")+" --approve call-1\n", "the thread knows its manifest")
	require.Equal(t, exitUsage, b.threads("show", "ada", "--store", store))
	require.Contains(t, b.err.String(), "--manifest and --store exclude each other")
}

func TestAThreadIsShownExportedAndCopied(t *testing.T) {
	t.Parallel()
	b := threads(t, noting)
	b.must(exitOK, "run", "--thread", "ada", "hi")
	b.must(exitOK, "run", "--thread", "ada", "hello")
	require.Equal(t, exitOK, b.threads("show", "ada"))
	require.Contains(t, b.out.String(), "\nhuman\n  │ hi\n\nai\n  │ hello\n")
	require.Equal(t, exitOK, b.threads("history", "ada", "--json"))
	require.Greater(t, strings.Count(b.out.String(), "\n"), 3)

	require.Equal(t, exitOK, b.threads("export", "ada"))
	printed := b.out.String()
	require.Equal(t, exitOK, b.threads("export", "ada", "--output", b.path("ada.json")))
	require.Empty(t, b.out.String())
	exported, err := os.ReadFile(b.path("ada.json"))
	require.NoError(t, err)
	require.Equal(t, printed, string(exported))
	info, err := os.Stat(b.path("ada.json"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	require.Equal(t, exitFailed, b.threads("export", "ada", "--output", b.path("none/ada.json")))

	require.Equal(t, exitOK, b.threads("fork", "ada", "eve", "--checkpoint", "1"), &b.err)
	require.Equal(t, "· thread \"eve\" is now a copy of \"ada\"\n", b.err.String())
	require.Len(t, b.shown("eve").Messages, 1)
	b.must(exitOK, "run", "--thread", "eve", "--continue")
	require.Len(t, b.shown("eve").Messages, 2)
	require.Len(t, b.shown("ada").Messages, 4)
}

func TestThreadsAreRemoved(t *testing.T) {
	t.Parallel()
	b := threads(t, noting)
	for _, thread := range []string{"ada", "bob", "eve"} {
		b.must(exitOK, "run", "--thread", thread, "hi")
	}
	require.Equal(t, exitUsage, b.threads("rm", "ada"))
	require.Contains(t, b.err.String(), "threads rm: there is no terminal to ask for confirmation; add --yes to remove the threads anyway")
	require.Equal(t, exitUsage, b.threads("rm", "ada", "nobody", "--yes"))
	require.Contains(t, b.err.String(), `thread "nobody": there is no such thread`)
	release := b.hold("bob")
	require.Equal(t, exitFailed, b.threads("rm", "ada", "bob", "--yes"))
	require.Contains(t, b.err.String(), `thread "bob": another run has the thread open`)
	release()
	require.Len(t, b.shown("ada").Messages, 2, "none was removed")

	require.Equal(t, exitOK, b.threads("rm", "ada", "bob", "--yes"), &b.err)
	require.Equal(t, exitUsage, b.threads("show", "ada"))

	at := func(typed string) int { return b.atTerminal(typed, "threads", "rm", "eve") }
	require.Equal(t, exitFailed, at("n\n"))
	require.Equal(t, "Remove eve? This cannot be undone. [y/n] agenthost: threads rm: nothing was removed\n", b.err.String())
	require.Equal(t, exitFailed, at(""))
	require.Equal(t, exitOK, at("y\n"))
	require.Equal(t, exitOK, b.threads("list"))
	require.Equal(t, "· there are no threads yet\n", b.err.String())
}

func TestThreadsCommandsRefuse(t *testing.T) {
	t.Parallel()
	b := threads(t, noting)
	b.must(exitOK, "run", "--thread", "ada", "hi")
	for _, test := range []struct {
		args []string
		says string
	}{
		{[]string{"show", "bob"}, `thread "bob": there is no such thread; 'agenthost threads list' shows the threads`},
		{[]string{"history", "bob"}, `thread "bob": there is no such thread`},
		{[]string{"export", "bob"}, `thread "bob": there is no such thread`},
		{[]string{"fork", "bob", "eve"}, `thread "bob": there is no such thread`},
		{[]string{"show", "ada", "--checkpoint", "9"}, `thread "ada": the thread has no such checkpoint; 'agenthost threads history ada' shows the checkpoints`},
		{[]string{"export", "ada", "--checkpoint", "9"}, "the thread has no such checkpoint"},
		{[]string{"fork", "ada", "eve", "--checkpoint", "9"}, `thread "ada": the thread has no such checkpoint`},
		{[]string{"fork", "ada", "ada"}, `thread "ada": a thread with this name already exists`},
		{[]string{"fork", "ada", "a\x1bb"}, "the name of a thread must have 1 to 512 bytes"},
		{[]string{"show"}, "threads show: THREAD is missing"},
		{[]string{"show", "ada", "--checkpoint", "x"}, "--checkpoint"},
		{[]string{"shwo"}, `did you mean "show"?`},
	} {
		require.Equal(t, exitUsage, b.threads(test.args...), "%v\n%s", test.args, &b.out)
		require.Contains(t, b.err.String(), test.says)
		require.NotContains(t, b.err.String(), "\x1b")
	}
}

func TestThreadsOfAManifestWithoutADatabase(t *testing.T) {
	t.Parallel()
	for checkpoint, says := range map[string]string{
		"":                              "the manifest keeps no threads; add a checkpoint, such as\n  checkpoint: sqlite:agent.db\nor name a store with --store",
		"checkpoint: memory\n":          "threads are kept in the memory of the process that runs them, and cannot be read from another process",
		"checkpoint: redis\n":           `unknown checkpoint store "redis"`,
		"checkpoint: sqlite:agent.db\n": `agent.db": there is no such file; the first run creates it`,
	} {
		b := setup(t, say+checkpoint)
		require.Equal(t, exitUsage, b.threads("list"))
		require.Contains(t, b.err.String(), says)
		require.NoFileExists(t, b.path("agent.db"))
	}
	b := setup(t, say)
	require.Equal(t, exitUsage, b.runWith(t.Context(), "", "threads", "list", "-f", b.path("none.yaml")))
	require.Contains(t, b.err.String(), "none.yaml: there is no such file (expected a manifest); name another one with -f FILE")
	require.Equal(t, exitUsage, b.runWith(t.Context(), "", "threads", "list", "--store", "redis://x"))
	require.Contains(t, b.err.String(), "--store: this kind of store is unknown; use one of sqlite:PATH, postgres://USER@HOST/DATABASE")
}

func TestAThreadInMemoryIsGoneWithTheCommand(t *testing.T) {
	t.Parallel()
	b := threads(t, strings.Replace(noting, "sqlite:agent.db", "memory", 1))
	b.must(exitWaiting, "run", "--thread", "ada", "note a")
	require.Contains(t, b.err.String(), cannotResume)
	require.NotContains(t, b.err.String(), "agenthost resume")
}

func TestThreadsInPostgreSQL(t *testing.T) {
	t.Parallel()
	address := pgtest.Address(t)
	b := threads(t, strings.Replace(noting, "sqlite:agent.db", address, 1))
	for _, thread := range []string{"Ada", "ad", "ada", "ada 2", "äda"} {
		b.must(exitWaiting, "run", "--thread", thread, "note a")
	}
	for _, thread := range []string{"Ada", "ad", "ada", "ada 2", "äda"} {
		require.Equal(t, exitOK, b.runWith(t.Context(), "", "threads", "show", thread, "--store", address), &b.err)
		require.Contains(t, b.out.String(), "--approve call-1\n")
	}
	require.Equal(t, exitOK, b.threads("list"))
	require.Equal(t, 5, strings.Count(b.out.String(), "waiting (1)"))
	b.must(exitOK, "resume", "äda", "--approve", "call-1")
	require.Equal(t, exitOK, b.threads("fork", "äda", "copy"))
	require.Equal(t, exitOK, b.threads("rm", "äda", "--yes"))
	require.Equal(t, checkpoint.Done, b.shown("copy").State)
}

func TestThreadsAreSelected(t *testing.T) {
	t.Parallel()
	b := threads(t, noting)
	b.must(exitOK, "run", "--thread", "ada-1", "hi")
	b.must(exitOK, "run", "--thread", "bob", "hi")
	b.must(exitWaiting, "run", "--thread", "ada-2", "note a")
	listed := func(flags ...string) (names []string) {
		require.Equal(t, exitOK, b.threads(append([]string{"list", "--json"}, flags...)...), &b.err)
		for line := range strings.Lines(b.out.String()) {
			var s threadview.Summary
			require.NoError(t, json.Unmarshal([]byte(line), &s))
			names = append(names, s.Thread)
		}
		return names
	}
	require.Equal(t, []string{"ada-1", "ada-2", "bob"}, listed())
	require.Equal(t, []string{"ada-2"}, listed("--state", "waiting"))
	require.Equal(t, []string{"ada-1"}, listed("--prefix", "ada-", "--state", "done"))
	require.Equal(t, []string{"ada-1", "ada-2", "bob"}, listed("--within", "1h"))
	require.Empty(t, listed("--idle", "1h"))
	require.Equal(t, exitOK, b.threads("list", "--state", "failed"))
	require.Equal(t, "· there are no such threads\n", b.err.String())
	for text, flags := range map[string][]string{
		`--state is "wating"; use one of running, orphaned, waiting, stopped, failed, done`: {"--state", "wating"},
		"--idle is -1h0m0s; a time must be positive":                                        {"--idle", "-1h"},
	} {
		require.Equal(t, exitUsage, b.threads(append([]string{"list"}, flags...)...))
		require.Contains(t, b.err.String(), text)
	}
}
