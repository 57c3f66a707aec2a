package plugin_test

import (
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/test/ratio"
)

// TestRatios holds what a hook of a guest may cost. The limits are above the targets, for machines that do other work.
func TestRatios(t *testing.T) { //nolint:paralleltest // time counts
	tinygo, rust := hooksOf(t, tinyGuest(t, "bench")), hooksOf(t, rustGuest(t))
	natively := repeated(t, nativeDocuments(kilobyte))
	for _, c := range []struct {
		name  string
		hook  host.NodeHook
		limit float64
	}{{"TinyGo", tinygo.BeforeModel, 15}, {"Rust", rust.BeforeModel, 5}} {
		inRun(t, c.hook, 1, kilobyte, func(call func() error) {
			require.LessOrEqual(t, ratio.Of(t, repeated(t, call), natively), c.limit, "%s : its documents natively", c.name)
		})
	}
	for name, hook := range map[string]host.NodeHook{"last 1": tinygo.BeforeModel, "new": tinygo.AfterModel} {
		inRun(t, hook, 10_000, "some words", func(long func() error) {
			inRun(t, hook, 10, "some words", func(short func() error) {
				require.LessOrEqual(t, ratio.Of(t, repeated(t, long), repeated(t, short)), 1.5, "view %s, at 10,000 messages : at 10", name)
			})
		})
	}
}

func hooksOf(t *testing.T, code []byte) *host.Hooks {
	t.Helper()
	w := plugin.Wasm{ID: "bench", Bytes: code, Engine: compiled}
	hooks, err := w.Hooks(t.Context(), host.Env{Name: "bench", Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, hooks.Close()) })
	return hooks
}

// repeated does something so often that its time can be told.
func repeated(t *testing.T, do func() error) func() {
	t.Helper()
	return func() {
		for range 200 {
			require.NoError(t, do())
		}
	}
}
