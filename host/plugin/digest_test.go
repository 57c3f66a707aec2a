package plugin_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
)

func TestDigest(t *testing.T) {
	t.Parallel()
	code := guestkit.Fine().Bytes()
	sum := sha256.Sum256(code)
	digest := hex.EncodeToString(sum[:])
	path := filepath.Join(t.TempDir(), "x.wasm")
	require.NoError(t, os.WriteFile(path, code, 0o600))
	for _, want := range []string{"", digest, strings.ToUpper(digest)} {
		for _, wasm := range []plugin.Wasm{{Bytes: code, SHA256: want}, {Path: path, SHA256: want}} {
			_, config := newBundle(wasm)
			agent, err := host.New(config)
			require.NoError(t, err)
			require.NoError(t, agent.Close())
		}
	}
	require.NoError(t, os.WriteFile(path, append(code, 0, 1, 0), 0o600)) // an empty custom section more
	_, config := newBundle(plugin.Wasm{Path: path, SHA256: digest})
	_, err := host.New(config)
	var changed *plugin.DigestError
	require.ErrorAs(t, err, &changed)
	require.ErrorContains(t, err, "and "+digest+" is wanted")
	require.NotEqual(t, changed.Want, changed.Got)
}
