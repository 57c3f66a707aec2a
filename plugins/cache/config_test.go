package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	sdk "github.com/agenthost/agenthost/sdk/go"
)

func TestAmounts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"90s": 90 * time.Second, "10m": 10 * time.Minute, "1h30m": 90 * time.Minute, "250ms": 250 * time.Millisecond,
		"7d": 7 * 24 * time.Hour, "1d1h1m1s1ms": 25*time.Hour + time.Minute + time.Second + time.Millisecond, "0h1s": time.Second,
	} {
		got, ok := amount(text, durations)
		require.True(t, ok, text)
		require.Equal(t, want, time.Duration(got), text)
	}
	for text, want := range map[string]uint64{"1B": 1, "512B": 512, "64KiB": 64 << 10, "10kB": 10_000, "1MB": 1_000_000} {
		got, ok := amount(text, sizes)
		require.True(t, ok, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{
		"", "0s", "10", "s", "-1s", "1.5h", "1 h", "10x", "1h ", "1h30", "9999999999999999999s", "999999999999999999d", "100000d100000d",
	} {
		_, ok := amount(text, durations)
		require.False(t, ok, text)
	}
}

func TestConfigurationIsRefused(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ key, value, want string }{
		{"model_ttl", "soon", `config: model_ttl is "soon"; it must be ` + durationHint},
		{"tool_ttl", "0s", `config: tool_ttl is "0s"; it must be ` + durationHint},
		{"max_entry", "2MB", `config: max_entry is "2MB"; it must be a size above 0 and up to 1000KiB, such as 64KiB`},
		{"max_entry", "64", `config: max_entry is "64"; it must be a size above 0 and up to 1000KiB, such as 64KiB`},
	} {
		_, err := new(cache).Configure(sdk.Map{{Key: test.key, Value: sdk.String(test.value)}})
		require.EqualError(t, err, test.want)
	}
	_, err := new(cache).Configure(sdk.Map{{Key: "tools", Value: sdk.String("search")}})
	require.EqualError(t, err, "invalid: tools: a list is expected, not string", "a host checks it before")
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	p := new(cache)
	d, err := p.Configure(nil)
	require.NoError(t, err)
	require.NotNil(t, d.Hooks.WrapModelCall)
	require.Nil(t, d.Hooks.WrapToolCall, "no tool is cached that the operator does not name")
	require.Equal(t, policy{kind: "model", scope: sdk.ScopeThread, ttl: uint64(time.Hour), most: 64 << 10}, p.model)
	require.Equal(t, policy{kind: "tool", scope: sdk.ScopeThread, ttl: uint64(10 * time.Minute), most: 64 << 10}, p.tool)
}
