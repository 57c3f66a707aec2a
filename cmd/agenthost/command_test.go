package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host"
)

// bundle is a directory with a manifest, and the output of the last command.
type bundle struct {
	t   *testing.T
	dir string
	out bytes.Buffer
	err bytes.Buffer
}

func setup(t *testing.T, manifest string) *bundle {
	t.Helper()
	b := &bundle{t: t, dir: t.TempDir()}
	b.write("agenthost.yaml", manifest)
	return b
}

func (b *bundle) write(name, text string) {
	b.t.Helper()
	path := filepath.Join(b.dir, name)
	require.NoError(b.t, os.MkdirAll(filepath.Dir(path), 0o750))
	require.NoError(b.t, os.WriteFile(path, []byte(text), 0o600))
}

// run runs the command with the bundle's manifest and returns the exit code.
func (b *bundle) run(args ...string) int {
	return b.runWith(b.t.Context(), "", append([]string{args[0], "-f", filepath.Join(b.dir, "agenthost.yaml")}, args[1:]...)...)
}

func (b *bundle) runWith(ctx context.Context, input string, args ...string) int {
	b.out.Reset()
	b.err.Reset()
	return execute(ctx, args, streams{in: strings.NewReader(input), out: &b.out, err: &b.err})
}

const say = "apiVersion: agenthost/v1\nmodel: {provider: scripted, turns: [{content: hello}]}\n"

func TestRunPrintsTheAnswerAndNothingElse(t *testing.T) {
	t.Parallel()
	b := setup(t, say)
	require.Equal(t, exitOK, b.run("run", "hi"), &b.err)
	require.Equal(t, "hello\n", b.out.String())
	require.Empty(t, b.err.String())
}

func TestRunReadsThePromptFromStandardInput(t *testing.T) {
	t.Parallel()
	b := setup(t, "apiVersion: agenthost/v1\nmodel: {provider: scripted, echo: true}\n")
	code := b.runWith(t.Context(), "from stdin", "run", "-f", filepath.Join(b.dir, "agenthost.yaml"), "-")
	require.Equal(t, exitOK, code, &b.err)
	require.Equal(t, "from stdin\n", b.out.String())
}

func TestRunPrintsTheResultAsJSON(t *testing.T) {
	t.Parallel()
	b := setup(t, say)
	require.Equal(t, exitOK, b.run("run", "--output", "json", "hi"), &b.err)
	var doc struct {
		Status   host.Status   `json:"status"`
		Answer   string        `json:"answer"`
		Messages []abi.Message `json:"messages"`
		Steps    int           `json:"steps"`
	}
	require.NoError(t, json.Unmarshal(b.out.Bytes(), &doc))
	require.Equal(t, host.Completed, doc.Status)
	require.Equal(t, "hello", doc.Answer)
	require.Len(t, doc.Messages, 2)
	require.Equal(t, 1, doc.Steps)
}

func TestRunPrintsEventsAsJSONLines(t *testing.T) {
	t.Parallel()
	b := setup(t, say)
	require.Equal(t, exitOK, b.run("run", "--output", "jsonl", "hi"), &b.err)
	var types []string
	for line := range strings.Lines(b.out.String()) {
		var event host.Event
		require.NoError(t, json.Unmarshal([]byte(line), &event))
		types = append(types, string(event.Type))
	}
	require.Equal(t, []string{"run", "state", "step", "token", "model", "state", "end"}, types)
}

func TestSetChangesTheManifest(t *testing.T) {
	t.Parallel()
	b := setup(t, say)
	require.Equal(t, exitOK, b.run("run", "--set", "model.turns[0].content=bye", "hi"), &b.err)
	require.Equal(t, "bye\n", b.out.String())
}

func TestValidateAndGraph(t *testing.T) {
	t.Parallel()
	b := setup(t, say+"middleware:\n  - model_call_limit: {run_limit: 2}\n")
	require.Equal(t, exitOK, b.run("validate"), &b.err)
	require.Contains(t, b.out.String(), "ok")
	require.Equal(t, exitOK, b.run("graph"), &b.err)
	require.Contains(t, b.out.String(), `["model_call_limit.before_model"]`)
}

func TestVersionNamesTheABI(t *testing.T) {
	t.Parallel()
	b := setup(t, say)
	require.Equal(t, exitOK, b.runWith(t.Context(), "", "version"))
	line := b.out.String()
	require.Regexp(t, `^agenthost \S+ \(commit \S+, ABI 1\.1, go1\.\d+\S*, \w+/\w+\)\n$`, line)
	require.Equal(t, exitOK, b.runWith(t.Context(), "", "--version"))
	require.Equal(t, line, b.out.String())
	require.Equal(t, exitOK, b.runWith(t.Context(), "", "middleware", "list"))
	require.Contains(t, b.out.String(), "model_call_limit")
}

func TestALimitThatEndsTheRunIsNoFailure(t *testing.T) {
	t.Parallel()
	b := setup(t, say+"middleware:\n  - model_call_limit: {run_limit: 0}\n")
	require.Equal(t, exitOK, b.run("run", "hi"), &b.err)
	require.Equal(t, "Model call limits exceeded: run limit (0/0)\n", b.out.String())
}

func TestInterruptedByASignal(t *testing.T) {
	t.Parallel()
	b := setup(t, say)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.Equal(t, exitSignal, b.runWith(ctx, "", "run", "-f", filepath.Join(b.dir, "agenthost.yaml"), "hi"))
	require.Equal(t, "agenthost: interrupted\n", b.err.String())
}

// A user who passes the manifest as an argument is told about -f.
func TestAManifestAsAnArgument(t *testing.T) {
	t.Parallel()
	b := setup(t, say)
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"validate", "my.yaml"}, "\nTo name the manifest, use -f: agenthost validate -f my.yaml\nRun 'agenthost validate --help' for usage\n"},
		{[]string{"run", "my.yml", "hello"}, "\nTo name the manifest, use -f: agenthost run -f my.yml\nRun 'agenthost run --help' for usage\n"},
		{[]string{"run", "good", "day"}, "run: the prompt must be one argument, but there are 2; put it in quotes\nRun 'agenthost run --help' for usage\n"},
		{[]string{"middleware", "show", "a.yaml", "b"}, "middleware show: there is an argument after NAME that has no meaning: \"b\"; remove it\nRun 'agenthost middleware show --help' for usage\n"},
		{[]string{"nothing"}, "there is no command \"nothing\"\nRun 'agenthost --help' for usage\n"},
	} {
		require.Equal(t, exitUsage, b.runWith(t.Context(), "", test.args...), test.args)
		require.Contains(t, b.err.String(), test.want)
	}
}
