// Package extism_test runs the example: an agent with two plugins that were built with PDKs of Extism.
package extism_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/test/programs"
)

// command returns the path of the command.
var command = sync.OnceValues(func() (string, error) {
	dir, err := programs.Build("cmd/agenthost")
	return filepath.Join(dir, "agenthost"), err
})

// cache is the cache directory of the tests: each plugin is compiled once.
var cache string

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	var err error
	if cache, err = os.MkdirTemp("", "agenthost-extism-"); err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(cache) }()
	return m.Run()
}

// said is what the command wrote, and how it ended.
type said struct {
	out, errs string
	code      int
}

func agenthost(t *testing.T, args ...string) said {
	t.Helper()
	path, err := command()
	require.NoError(t, err)
	c := exec.CommandContext(t.Context(), path, args...)
	c.Env = append(os.Environ(), "XDG_CACHE_HOME="+cache)
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); c.ProcessState == nil {
		require.NoError(t, err)
	}
	return said{out.String(), errs.String(), c.ProcessState.ExitCode()}
}

// manifest is the example's manifest with other text in the place of some.
func manifest(t *testing.T, replacements ...string) string {
	t.Helper()
	text, err := os.ReadFile("agenthost.yaml")
	require.NoError(t, err)
	for i := 0; i < len(replacements); i += 2 {
		require.Contains(t, string(text), replacements[i])
		text = []byte(strings.ReplaceAll(string(text), replacements[i], replacements[i+1]))
	}
	for _, name := range []string{"mask/mask.wasm", "quota/quota.wasm", "rules.yaml", "./notes"} {
		path, err := filepath.Abs(name)
		require.NoError(t, err)
		text = bytes.ReplaceAll(text, []byte(name), []byte(path))
	}
	path := filepath.Join(t.TempDir(), "agenthost.yaml")
	require.NoError(t, os.WriteFile(path, text, 0o600))
	return path
}

const owners = "These are the owners:\n\n" +
	"falcon.txt:1: [secret] is the new card of [secret]. Owner: Ada.\n" +
	"heron.txt:1: Heron is the archive. Owner: Ben.\n" +
	"tapes.txt:1: The tapes of Heron are at [secret]. Owner: Ben."

const usedUp = "I may not read on. This is what is left of my calls:\n\nread_file: 0 of 2\nsearch_files: 5 of 5"

func TestTheAgent(t *testing.T) {
	t.Parallel()
	got := agenthost(t, "run", "-f", "agenthost.yaml", "Who owns what?")
	require.Equal(t, said{owners, got.errs, 0}, trimmed(got))
	require.Contains(t, got.errs, `mask.wrap_tool_call: masked {"count":3,"total":3}`)

	got = agenthost(t, "run", "-f", "agenthost.yaml", "read falcon.txt")
	require.Equal(t, said{usedUp, got.errs, 0}, trimmed(got))
	require.Contains(t, got.errs, "the quota is used up: read_file may be called 2 times in a run")
}

func trimmed(s said) said {
	s.out = strings.TrimSpace(s.out)
	return s
}

// Each call begins in memory as it was when the instance was configured: the plugins keep nothing there.
func TestAnInstanceForEachCall(t *testing.T) {
	t.Parallel()
	file := manifest(t, "    config: {words", "    isolation: call\n    config: {words", "    config: {calls", "    isolation: call\n    config: {calls")
	require.Equal(t, owners, trimmed(agenthost(t, "run", "-f", file, "Who owns what?")).out)
	require.Equal(t, usedUp, trimmed(agenthost(t, "run", "-f", file, "read falcon.txt")).out)
}

func TestItsErrorsAndItsLimits(t *testing.T) {
	t.Parallel()
	fails := []string{"config: {calls: {read_file: 2, search_files: 5}}", "config: {calls: {read_file: 2}, then: fail}"}
	got := agenthost(t, "run", "-f", manifest(t, fails...), "read falcon.txt")
	require.Equal(t, 1, got.code, got.errs)
	require.Contains(t, got.errs, "the quota is used up: read_file may be called 2 times in a run")

	// An error that the plugin reports is its answer, and no fault: on_failure does not hide it.
	open := manifest(t, append(fails, "grant: {kv: {scopes: [run]}}", "grant: {kv: {scopes: [run]}}\n    on_failure: open")...)
	require.Equal(t, 1, agenthost(t, "run", "-f", open, "read falcon.txt").code)

	starved := []string{"    grant: {kv: true}", "    grant: {kv: true}\n    limits: {fuel: 100k}"}
	got = agenthost(t, "run", "-f", manifest(t, starved...), "Who owns what?")
	require.Equal(t, 5, got.code, got.errs)
	require.Contains(t, got.errs, `plugin "mask"`)
	require.Contains(t, got.errs, "it used up its fuel of 100000")
}

func TestTheCommandsForPlugins(t *testing.T) {
	t.Parallel()
	for plugin, config := range map[string]string{"mask": "{words: [Falcon]}", "quota": "{calls: {search: 1}}"} {
		file := filepath.Join(plugin, plugin+".wasm")
		got := agenthost(t, "plugin", "inspect", file)
		require.Zero(t, got.code, got.errs)
		require.Contains(t, got.out, plugin+" 1.0.0, ABI 1")
		require.Contains(t, got.out, "extism:host/user: host_call, next")

		got = agenthost(t, "plugin", "test", plugin)
		require.Zero(t, got.code, got.out)
		require.Contains(t, got.out, " cases, 0 failed")

		got = agenthost(t, "plugin", "check", file, "--config", config)
		require.Zero(t, got.code, got.out+got.errs)
		require.Regexp(t, `wrap_tool_call +ok`, got.out)

		got = agenthost(t, "plugin", "bench", file, "--config", config, "--duration", "10ms")
		require.Zero(t, got.code, got.out+got.errs)
		require.Regexp(t, `wrap_tool_call +\d`, got.out)
	}
}

// What the plugins were given and did can be performed again, without the agent.
func TestRecordAndReplay(t *testing.T) {
	t.Parallel()
	cassette := filepath.Join(t.TempDir(), "run.cassette")
	got := agenthost(t, "run", "-f", "agenthost.yaml", "--record", cassette, "read falcon.txt")
	require.Zero(t, got.code, got.errs)
	got = agenthost(t, "plugin", "replay", cassette)
	require.Zero(t, got.code, got.out+got.errs)
	require.Contains(t, got.out, "wrap_tool_call")
}
