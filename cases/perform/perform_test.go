package perform_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/agenthost/agenthost/cases"
	"github.com/agenthost/agenthost/cases/perform"
	"github.com/agenthost/agenthost/host"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// agent writes the files of an agent with a case, and reads the case.
func agent(t *testing.T, files map[string]string) *cases.Case {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	c, err := cases.Load(filepath.Join(dir, "tests", "a.yaml"))
	require.NoError(t, err)
	return c
}

// passes performs a case that has no differences.
func passes(t *testing.T, c *cases.Case, o perform.Options) *perform.Report {
	t.Helper()
	report, err := perform.Case(t.Context(), c, o)
	require.NoError(t, err)
	for i := range report.Turns {
		require.Empty(t, report.Turns[i].Differences)
	}
	require.False(t, report.Failed())
	return report
}

const head = "apiVersion: agenthost/v1\n"

// TestModelsOfAgentsThatAreToolsAreInTheCassette also shows that cases do not mix up two models with the same key.
func TestModelsOfAgentsThatAreToolsAreInTheCassette(t *testing.T) {
	t.Parallel()
	c := agent(t, map[string]string{
		"agenthost.yaml": head + "model: {provider: scripted, turns: [{tool_calls: [{name: ask, args: {prompt: why}}]}, {content: outer}]}\n" +
			"tools: [{agent: {file: inner.yaml, name: ask, description: asks}}]\n",
		"inner.yaml":   head + "model: {provider: scripted, turns: [{content: inner}]}\n",
		"tests/a.yaml": "cassette: a.cassette\nturns: [{input: hi, expect: {message: outer, tool_calls: [{name: ask, result: inner}]}}]\n",
	})
	report := passes(t, c, perform.Options{Record: true})
	require.Equal(t, 3, report.Cassette.Len())
	require.Len(t, report.Cassette.Requests("model"), 2)
	require.Len(t, report.Cassette.Requests("inner.yaml model"), 1)
	file, err := os.Create(c.CassettePath())
	require.NoError(t, err)
	require.NoError(t, report.Cassette.Write(file))
	require.NoError(t, file.Close())

	inner := filepath.Join(filepath.Dir(c.ManifestPath()), "inner.yaml")
	require.NoError(t, os.WriteFile(inner, []byte(head+"model: openai:gpt-x\n"), 0o600), "it needs no key")
	require.Nil(t, passes(t, c, perform.Options{}).Cassette)
}

// TestAScriptPrecedesTheCassette records a case whose agent has a script in place of one model only.
func TestAScriptPrecedesTheCassette(t *testing.T) {
	t.Parallel()
	const asks = "model: {turns: [{tool_calls: [{name: ask, args: {prompt: why}}]}, {content: %s}]}\ncassette: a.cassette\n" +
		"turns: [{input: hi, expect: {message: %s, tool_calls: [{name: ask, result: inner}]}}]\n"
	c := agent(t, map[string]string{
		"agenthost.yaml": head + "model: openai:gpt-x\ntools: [{agent: {file: inner.yaml, name: ask, description: asks}}]\n",
		"inner.yaml":     head + "model: {provider: scripted, turns: [{content: inner}]}\n",
		"tests/a.yaml":   fmt.Sprintf(asks, "first", "first"),
	})
	report := passes(t, c, perform.Options{Record: true})
	require.Equal(t, 1, report.Cassette.Len())
	require.Empty(t, report.Cassette.Requests("model"))
	require.Len(t, report.Cassette.Requests("inner.yaml model"), 1)
	file, err := os.Create(c.CassettePath())
	require.NoError(t, err)
	require.NoError(t, report.Cassette.Write(file))
	require.NoError(t, file.Close())

	inner := filepath.Join(filepath.Dir(c.ManifestPath()), "inner.yaml")
	require.NoError(t, os.WriteFile(inner, []byte(head+"model: openai:gpt-x\n"), 0o600), "it needs no key")
	passes(t, c, perform.Options{})
	c, err = cases.Parse(c.Path, fmt.Appendf(nil, asks, "second", "second"))
	require.NoError(t, err)
	passes(t, c, perform.Options{})
}

func TestAScriptForNoModelIsRefused(t *testing.T) {
	t.Parallel()
	c := agent(t, map[string]string{
		"agenthost.yaml": head + "model: {provider: scripted, echo: true}\nmodels: {small: {provider: scripted, echo: true}}\n",
		"tests/a.yaml":   "models: {smal: {echo: true}, writer: {echo: true}}\nturns: [{input: hi}]\n",
	})
	_, err := perform.Case(t.Context(), c, perform.Options{})
	require.ErrorContains(t, err, `models.smal: the manifest has no model of that name; did you mean "small"?`)
	require.ErrorContains(t, err, "models.writer: the manifest has no model of that name; the script of the agent's own model is under the key model")
	_, err = perform.Case(t.Context(), c, perform.Options{Real: true})
	require.NoError(t, err, "no script is used")
}

func TestACaseInPlaceChangesTheDirectory(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"agenthost.yaml": head + "model: {provider: scripted, turns: [{tool_calls: [{name: write_file, args: {path: a.txt, content: new}}]}, {content: done}]}\n" +
			"tools: [{files: {root: notes, write: true}}]\n",
		"notes/a.txt": "old", "tests/a.yaml": "turns: [{input: hi, expect: {files: {notes/a.txt: new}}}]\n",
	}
	content := func(c *cases.Case) string {
		text, err := os.ReadFile(filepath.Join(filepath.Dir(c.ManifestPath()), "notes", "a.txt"))
		require.NoError(t, err)
		return string(text)
	}
	copied := agent(t, files)
	passes(t, copied, perform.Options{})
	require.Equal(t, "old", content(copied))
	files["tests/a.yaml"] = "in_place: true\n" + files["tests/a.yaml"]
	inPlace := agent(t, files)
	passes(t, inPlace, perform.Options{})
	require.Equal(t, "new", content(inPlace))
}

func TestFilesOfACase(t *testing.T) {
	t.Parallel()
	c := agent(t, map[string]string{
		"agenthost.yaml": head + "model: {provider: scripted, echo: true}\n", "data/gone.txt": "x", "node_modules/a/b.js": "x", ".git/config": "x", ".env": "x",
		"tests/a.yaml": "files: {data/gone.txt: null, deep/er/new.txt: hello}\n" +
			"turns: [{input: hi, expect: {files: {data/gone.txt: null, deep/er/new.txt: hello, node_modules/a/b.js: null, .git/config: null, .env: x}}}]\n",
	})
	passes(t, c, perform.Options{})
	require.FileExists(t, filepath.Join(filepath.Dir(c.ManifestPath()), "data", "gone.txt"))
}

// TestALinkOutOfTheCopyIsNotFollowed shows that a case neither reads nor writes through a link of a hostile directory.
func TestALinkOutOfTheCopyIsNotFollowed(t *testing.T) {
	t.Parallel()
	secret := filepath.Join(t.TempDir(), "secret.txt")
	require.NoError(t, os.WriteFile(secret, []byte("secret"), 0o600))
	c := agent(t, map[string]string{
		"agenthost.yaml": head + "model: {provider: scripted, echo: true}\n",
		"tests/a.yaml":   "turns: [{input: hi, expect: {files: {link.txt: secret}}}]\n",
	})
	require.NoError(t, os.Symlink(secret, filepath.Join(filepath.Dir(c.ManifestPath()), "link.txt")))
	_, err := perform.Case(t.Context(), c, perform.Options{})
	require.ErrorContains(t, err, "escapes")
}

func TestEventsOfACase(t *testing.T) {
	t.Parallel()
	c := agent(t, map[string]string{
		"agenthost.yaml": head + "model: {provider: scripted, echo: true}\n", "tests/a.yaml": "turns: [{input: a}, {input: b}]\n",
	})
	turns := map[int]int{}
	passes(t, c, perform.Options{Event: func(turn int, _ host.Event) error {
		turns[turn]++
		return nil
	}})
	require.Len(t, turns, 2)
	full := errors.New("the disk is full")
	_, err := perform.Case(t.Context(), c, perform.Options{Event: func(int, host.Event) error { return full }})
	require.ErrorIs(t, err, full)
	stopped, stop := context.WithCancelCause(t.Context())
	stop(full)
	_, err = perform.Case(stopped, c, perform.Options{})
	require.Error(t, err)
}
