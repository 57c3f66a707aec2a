package manifest_test

import (
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/manifest"
)

func TestTheDigestOfAPlugin(t *testing.T) {
	t.Parallel()
	code, err := os.ReadFile("../plugins/redact/redact.wasm")
	require.NoError(t, err)
	sum := sha256.Sum256(code)
	right := hex.EncodeToString(sum[:])
	load := func(digest string) error {
		path := setup(t, echo+"middleware:\n  - plugin: {path: redact.wasm, sha256: "+digest+"}\n", map[string]string{"redact.wasm": string(code)})
		m, err := manifest.Load(path, manifest.Options{})
		if err != nil {
			return err
		}
		agent, err := m.Build(t.Context(), slog.New(slog.DiscardHandler), nil)
		if err != nil {
			return err
		}
		return agent.Close()
	}
	require.NoError(t, load(right))
	wrong := "0000" + right[4:]
	require.ErrorContains(t, load(wrong), ":4:5: middleware[0]")
	require.ErrorContains(t, load(wrong), "the module has the sha256 "+right+", and "+wrong+" is wanted")
	for _, malformed := range []string{"abc", right[:62], "'" + right[:62] + "xx'"} {
		require.ErrorContains(t, load(malformed), "must be a SHA-256: 64 hexadecimal digits")
	}
}
