package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/author"
)

const redact = "../../plugins/redact/redact.wasm"

// findings parses lines of JSON.
func findings(t *testing.T, out *bytes.Buffer) []author.Finding {
	t.Helper()
	var all []author.Finding
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var f author.Finding
		require.NoError(t, json.Unmarshal(lines.Bytes(), &f), lines.Text())
		all = append(all, f)
	}
	return all
}

func TestPluginCheck(t *testing.T) {
	t.Parallel()
	b := setup(t, say)
	check := func(args ...string) int {
		return b.runWith(t.Context(), "", append([]string{"plugin", "check"}, args...)...)
	}
	require.Equal(t, exitOK, check(redact, "--json"), &b.err)
	all := findings(t, &b.out)
	require.Len(t, all, 3)
	for i, hook := range []abi.Hook{"", abi.BeforeModel, abi.WrapToolCall} {
		r := all[i]
		require.True(t, r.OK, r.Message)
		require.Equal(t, redact, r.File)
		require.Equal(t, hook, r.Hook)
		require.Positive(t, r.Fuel)
		require.Positive(t, r.WallMS)
		require.GreaterOrEqual(t, r.Memory, int64(64<<10))
	}
	require.Equal(t, "configure", all[0].Stage)
	require.Equal(t, "hook", all[1].Stage)

	require.Equal(t, exitOK, check(redact, "--hook", "wrap_tool_call", "--config", "{strategy: hash}"), &b.err)
	require.Regexp(t, `(?m)^\S+redact.wasm: configure +ok \(fuel \d+, [0-9.]+ ms, memory \d+ KiB\)\n\S+: wrap_tool_call +ok .*\n$`, b.out.String())

	b.write("config.yaml", "strategy: no such\n")
	require.Equal(t, exitPlugin, check(redact, "--json", "--config", "@"+filepath.Join(b.dir, "config.yaml")))
	all = findings(t, &b.out)
	require.Len(t, all, 1)
	require.False(t, all[0].OK)
	require.Contains(t, all[0].Message, "strategy")

	b.write("bad.wasm", "\x1b[31mno module")
	require.Equal(t, exitPlugin, check(filepath.Join(b.dir, "bad.wasm"), filepath.Join(b.dir, "gone.wasm"), redact, "--json", "--hook", "after_agent"))
	all = findings(t, &b.out)
	require.Len(t, all, 4)
	require.Equal(t, "preflight", all[0].Stage)
	require.Equal(t, plugin.KindMalformed, all[0].Kind)
	require.Equal(t, "read", all[1].Stage)
	require.Empty(t, all[1].Kind)
	require.True(t, all[2].OK)
	require.Equal(t, "the plugin has no such hook", all[3].Message)
}

func TestPluginCheckTellsOfFaults(t *testing.T) {
	t.Parallel()
	module, err := badGuest()
	require.NoError(t, err)
	b := setup(t, say)
	for how, want := range map[string]plugin.Kind{"trap": plugin.KindTrap, "jump": plugin.KindProtocol, "error": plugin.KindGuest} {
		require.Equal(t, exitPlugin, b.runWith(t.Context(), "", "plugin", "check", module, "--json", "--config", `{"how": "`+how+`"}`), &b.err)
		all := findings(t, &b.out)
		last := all[len(all)-1]
		require.Equal(t, abi.AfterModel, last.Hook)
		require.Equal(t, want, last.Kind, last.Message)
		require.Positive(t, last.Fuel)
	}
	require.Equal(t, exitPlugin, b.runWith(t.Context(), "", "plugin", "check", module, "--config", "{how: trap}"))
	require.Contains(t, b.out.String(), "FAILED trap: ")
	require.NotContains(t, b.err.String(), "--config")

	require.Equal(t, exitPlugin, b.runWith(t.Context(), "", "plugin", "check", filepath.Join("..", "..", "plugins", "budget", "budget.wasm")))
	require.Contains(t, b.out.String(), "there is no budget")
	require.Contains(t, b.err.String(), "give one with --config")
}

func TestPluginCheckIsUsedWrongly(t *testing.T) {
	t.Parallel()
	b := setup(t, say)
	for says, args := range map[string][]string{
		"plugin check: FILE is missing":   {"plugin", "check"},
		`there is no hook "before_lunch"`: {"plugin", "check", redact, "--hook", "before_lunch"},
		"--config":                        {"plugin", "check", redact, "--config", "[1]"},
		"no such file":                    {"plugin", "check", redact, "--config", "@" + filepath.Join(b.dir, "gone")},
	} {
		require.Equal(t, exitUsage, b.runWith(t.Context(), "", args...), says)
		require.Contains(t, b.err.String(), says)
		require.Empty(t, b.out.String())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.Equal(t, exitSignal, b.runWith(ctx, "", "plugin", "check", redact))
}

// TestModulesAreCompiledInAProcessOfTheirOwn runs the hidden command, which limits its process, in a child.
func TestModulesAreCompiledInAProcessOfTheirOwn(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "cache")
	child := exec.CommandContext(t.Context(), os.Args[0], compileCommand, dir)
	child.Stdin = strings.NewReader("no module")
	said, err := child.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(said), "invalid magic number")
	b := setup(t, say+"middleware:\n  - plugin: "+filepath.Join(mustGetwd(t), redact)+"\n")
	require.Equal(t, exitOK, b.run("validate"), &b.err)
	require.DirExists(t, filepath.Join(scratch, "agenthost", "wasm", "seen"))
}

func mustGetwd(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	require.NoError(t, err)
	return dir
}
