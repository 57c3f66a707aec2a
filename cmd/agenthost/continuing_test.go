package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/checkpoint"
	"github.com/agenthost/agenthost/host/model/scripted"
)

func TestHintsNameTheManifestThatStartedTheRun(t *testing.T) {
	t.Parallel()
	b := waitingThread(t)
	b.write("other.yaml", noting)
	other := func(args ...string) []string {
		return append([]string{args[0], "-f", b.path("other.yaml")}, args[1:]...)
	}
	want := "  agenthost resume ada -f " + b.path("agenthost.yaml") + " --approve call-1\n"

	require.Equal(t, exitOK, b.runWith(t.Context(), "", "threads", "show", "ada", "-f", b.path("other.yaml")), &b.err)
	require.Contains(t, b.out.String(), want)
	require.NotContains(t, b.out.String(), "other.yaml")
	for name, args := range map[string][]string{
		"a prompt that is refused": other("run", "--thread", "ada", "hi"),
		"a run that keeps waiting": other("run", "--thread", "ada", "--continue"),
		"resume":                   other("resume", "ada"),
	} {
		b.runWith(t.Context(), "", args...)
		require.Contains(t, b.err.String(), want, name)
		require.NotContains(t, b.err.String(), "other.yaml", name)
	}
	b.out.Reset()
	b.err.Reset()
	code := execute(t.Context(), other("resume", "ada", "--set", "recursion_limit=9"), streams{in: strings.NewReader(""), out: &b.out, err: &b.err, terminal: true})
	require.Equal(t, exitWaiting, code)
	require.Contains(t, b.err.String(), want, "a question that is left open")
	require.NotContains(t, b.err.String(), "--set", "the flag is meant for the other manifest")

	require.Equal(t, exitWaiting, b.runWith(t.Context(), "", other("run", "--thread", "ada", "--give-up", "note b")...), &b.err)
	require.Contains(t, b.err.String(), "  agenthost resume ada -f "+b.path("other.yaml")+" --approve call-2\n", "this manifest started the run that waits")
	require.Equal(t, exitOK, b.threads("show", "ada"))
	require.Contains(t, b.out.String(), " -f "+b.path("other.yaml")+" --approve call-2\n")
	require.Equal(t, exitOK, b.threads("show", "ada", "--checkpoint", "3"))
	require.Contains(t, b.out.String(), " -f "+b.path("agenthost.yaml")+" --checkpoint 3 ")
	require.Equal(t, exitOK, b.threads("export", "ada"))
	require.Contains(t, b.out.String(), `"manifest": "`+b.path("other.yaml")+`"`)
}

func TestAHintNamesNoManifestIfTheThreadHasNone(t *testing.T) {
	t.Parallel()
	b := threads(t, noting)
	store := b.store()
	agent, err := host.New(host.Config{Model: &scripted.Echo{}, Checkpointer: store, InterruptBefore: []string{host.ModelStep}})
	require.NoError(t, err)
	result, err := agent.Run(t.Context(), host.Input{Thread: "embedded", Messages: []abi.Message{abi.Human("hi")}})
	require.NoError(t, err)
	require.Equal(t, host.Interrupted, result.Status)
	require.NoError(t, agent.Close())
	require.NoError(t, store.Close())
	require.Equal(t, exitOK, b.threads("show", "embedded"), &b.err)
	require.Contains(t, b.out.String(), "to continue it:\n  agenthost resume embedded\n")
}

func TestAHintHasAPathThatWorksFromHere(t *testing.T) {
	t.Parallel()
	here, err := os.Getwd()
	require.NoError(t, err)
	for manifest, want := range map[string]string{
		filepath.Join(here, "agenthost.yaml"):        "agenthost.yaml",
		filepath.Join(here, "sub", "agenthost.yaml"): "sub/agenthost.yaml",
		filepath.Join(here, "..", "agenthost.yaml"):  filepath.Join(filepath.Dir(here), "agenthost.yaml"),
		"/srv/agenthost.yaml":                        "/srv/agenthost.yaml",
		"/srv/a\nagenthost resume evil":              "",
		"/srv/a\u202e":                               "",
		"":                                           "",
	} {
		a := &app{file: "elsewhere.yaml", set: []string{"a=b"}}
		command := a.continuing("ada", &checkpoint.Program{Manifest: manifest})
		require.Equal(t, want, command.File)
		require.Empty(t, command.Set)
	}
	a := &app{file: "../agenthost/agenthost.yaml", set: []string{"a=b"}}
	command := a.continuing("ada", &checkpoint.Program{Manifest: filepath.Join(here, "agenthost.yaml")})
	require.Equal(t, a.file, command.File, "as it was typed")
	require.Equal(t, a.set, command.Set)
	require.Empty(t, a.continuing("ada", nil).File)
}
