package main

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/abi"
	"github.com/agenthost/agenthost/host/plugin/author"
)

func TestPluginBench(t *testing.T) {
	t.Parallel()
	b := setup(t, say)
	bench := func(args ...string) int {
		return b.runWith(t.Context(), "", append([]string{"plugin", "bench", redact, "--duration", "30ms"}, args...)...)
	}
	require.Equal(t, exitOK, bench(), &b.err)
	require.Regexp(t, `^ +hook +ns p50 +p99 +empty p50 +p99 +ratio +fuel p50 .*\n +before_model +\d+ .*\n +wrap_tool_call +\d+ .* result *\n$`, b.out.String())

	require.Equal(t, exitOK, bench("--json", "--hook", "wrap_tool_call", "--config", "{strategy: hash}"), &b.err)
	var m author.Measurement
	require.NoError(t, json.Unmarshal(b.out.Bytes(), &m))
	require.Equal(t, abi.WrapToolCall, m.Hook)
	require.Positive(t, m.Calls)
	require.Greater(t, m.Time.P50, m.Empty.P50, "it does more than nothing")
	require.Greater(t, m.Ratio, 1.0)
	require.Greater(t, m.Reply, 1_000)
	require.Positive(t, m.Result)
}

func TestPluginBenchIsUsedWrongly(t *testing.T) {
	t.Parallel()
	b := setup(t, say)
	for _, test := range []struct {
		code int
		says string
		args []string
	}{
		{exitUsage, "no such file", []string{"gone.wasm"}},
		{exitUsage, "there is no hook", []string{redact, "--hook", "before_lunch"}},
		{exitUsage, "the plugin has no hook after_agent", []string{redact, "--hook", "after_agent"}},
		{exitUsage, "the duration must be positive", []string{redact, "--duration", "0s"}},
		{exitUsage, "--config", []string{redact, "--config", "[1]"}},
		{exitUsage, "strategy", []string{redact, "--config", "{strategy: nonsense}"}},
	} {
		require.Equal(t, test.code, b.runWith(t.Context(), "", append([]string{"plugin", "bench"}, test.args...)...), "%s%s", test.says, &b.err)
		require.Contains(t, b.err.String(), test.says)
		require.Empty(t, b.out.String())
	}
	module, err := badGuest()
	require.NoError(t, err)
	require.Equal(t, exitPlugin, b.runWith(t.Context(), "", "plugin", "bench", module, "--config", "{how: trap}", "--duration", "10ms"))
	require.Contains(t, b.err.String(), "after_model: trap")

	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	require.Equal(t, exitSignal, b.runWith(ctx, "", "plugin", "bench", redact, "--duration", "1h"))
}
