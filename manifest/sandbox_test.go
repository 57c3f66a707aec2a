package manifest_test

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"testing"

	"aead.dev/minisign"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/manifest"
)

// TestPluginKeys loads a plugin with every key of its sandbox, and with wrong ones.
func TestPluginKeys(t *testing.T) {
	t.Parallel()
	code, err := os.ReadFile("../plugins/redact/redact.wasm")
	require.NoError(t, err)
	public, private, err := minisign.GenerateKey(rand.Reader)
	require.NoError(t, err)
	other, _, err := minisign.GenerateKey(rand.Reader)
	require.NoError(t, err)
	files := map[string]string{"redact.wasm": string(code), "redact.wasm.minisig": string(minisign.Sign(private, code))}
	load := func(source, keys string) error {
		path := setup(t, echo+"middleware:\n  - plugin: "+source+"\n"+keys, files)
		require.FileExists(t, filepath.Join(filepath.Dir(path), "redact.wasm.minisig"))
		m, err := manifest.Load(path, manifest.Options{})
		if err != nil {
			return err
		}
		agent, err := m.Build(t.Context(), nil, nil)
		if err != nil {
			return err
		}
		return agent.Close()
	}
	signed := func(keys string) string { return "{path: redact.wasm, minisign: " + keys + "}" }
	for _, keys := range []string{
		"", "    isolation: call\n", "    isolation: pool\n", "    breaker: {faults: 3, window: 1m}\n    accept_open: true\n",
		"    breaker: {faults: 1}\n    accept_open: true\n", "    on_failure: open\n    accept_open: true\n", "    optional: true\n",
		"    limits: {memory: 1MiB, fuel: 10M, deadline: 500ms, input: 1MiB, result: 64KiB, host_calls: 10, wait: 1s, next: 1, log: 1KiB, events: 1KiB, state: 1MiB, instances: 2}\n",
	} {
		require.NoError(t, load("redact.wasm", keys), keys)
	}
	require.NoError(t, load(signed(public.String()), ""))
	require.NoError(t, load(signed("["+other.String()+", "+public.String()+"]"), ""))
	require.ErrorIs(t, load(signed(other.String()), ""), plugin.ErrSignature)
	for says, err := range map[string]error{
		"is not a public key":                                 load(signed("RWabc"), ""),
		"isolation: must be pool or call":                     load("redact.wasm", "    isolation: none\n"),
		"breaker: the key":                                    load("redact.wasm", "    breaker: {window: 1m}\n"),
		"on_failure is open, but the plugin guards something": load("redact.wasm", "    on_failure: open\n"),
		"it has a breaker, but the plugin guards something":   load("redact.wasm", "    breaker: {faults: 1}\n"),
		"breaker.faults: must be at least 1":                  load("redact.wasm", "    breaker: {faults: 0}\n"),
		"breaker.window: must be at least 1s":                 load("redact.wasm", "    breaker: {faults: 1, window: 1ms}\n"),
		"limits.fuel: must be at least 1k":                    load("redact.wasm", "    limits: {fuel: 1}\n"),
		"limits.deadline: must be at least":                   load("redact.wasm", "    limits: {deadline: 0s}\n"),
	} {
		require.ErrorContains(t, err, says)
	}
	var fault *plugin.Error
	require.ErrorAs(t, load("redact.wasm", "    limits: {memory: 64KiB}\n"), &fault)
	require.Equal(t, plugin.KindMemory, fault.Kind)
}
