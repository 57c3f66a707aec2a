package plugin_test

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"testing"

	"aead.dev/minisign"
	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host"
	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/internal/guestkit"
)

func TestSignature(t *testing.T) {
	t.Parallel()
	public, private, err := minisign.GenerateKey(rand.Reader)
	require.NoError(t, err)
	other, _, err := minisign.GenerateKey(rand.Reader)
	require.NoError(t, err)
	code := guestkit.Fine().Bytes()
	path := filepath.Join(t.TempDir(), "p.wasm")
	require.NoError(t, os.WriteFile(path, code, 0o600))
	var signedBy string
	load := func(w plugin.Wasm) error {
		w.Path = path
		_, config := newBundle(w)
		agent, err := host.New(config)
		if err != nil {
			return err
		}
		signedBy = agent.Middleware()[0].Sandbox.SignedBy
		return agent.Close()
	}
	require.ErrorIs(t, load(plugin.Wasm{Minisign: []string{public.String()}}), plugin.ErrSignature, "there is no file")
	signature := minisign.Sign(private, code)
	require.NoError(t, os.WriteFile(path+".minisig", signature, 0o600))
	require.NoError(t, load(plugin.Wasm{Minisign: []string{public.String()}}))
	require.NoError(t, load(plugin.Wasm{Minisign: []string{other.String(), public.String()}}), "one of the keys is enough")
	require.Equal(t, public.String(), signedBy)
	require.NoError(t, load(plugin.Wasm{Minisign: []string{public.String()}, Signature: signature}))
	require.ErrorIs(t, load(plugin.Wasm{Minisign: []string{other.String()}}), plugin.ErrSignature)
	require.ErrorIs(t, load(plugin.Wasm{Minisign: []string{public.String()}, Signature: []byte("x")}), plugin.ErrSignature)
	require.ErrorContains(t, load(plugin.Wasm{Minisign: []string{"RWx"}}), "is not a public key")
	require.NoError(t, os.WriteFile(path, append(code, 0, 1, 0), 0o600))
	require.ErrorIs(t, load(plugin.Wasm{Minisign: []string{public.String()}}), plugin.ErrSignature, "the module was changed")
	require.NoError(t, load(plugin.Wasm{}), "nobody asks")
	require.Empty(t, signedBy)
	require.NoError(t, os.WriteFile(path+".minisig", make([]byte, 20<<10), 0o600))
	require.ErrorContains(t, load(plugin.Wasm{Minisign: []string{public.String()}}), "is larger than the limit of 16384 bytes")
}
