package registry_test

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/host/plugin"
	"github.com/agenthost/agenthost/host/plugin/minisig"
	"github.com/agenthost/agenthost/registry"
)

func digestOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

func TestDownload(t *testing.T) {
	t.Parallel()
	key := newKey(t)
	files := http.NewServeMux()
	serveFile := func(path string, content []byte) {
		files.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(content) })
	}
	serveFile("/redact.wasm", module)
	serveFile("/redact.wasm.minisig", sign(t, key, module, "x"))
	serveFile("/huge.wasm", make([]byte, plugin.MaxModuleSize+1))
	files.HandleFunc("/moved.wasm", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/redact.wasm", http.StatusFound) })
	files.HandleFunc("/away.wasm", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://other.example/redact.wasm", http.StatusFound)
	})
	files.HandleFunc("/declared.wasm", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(plugin.MaxModuleSize+1))
		_, _ = w.Write(module)
	})
	c := client(t, registry.Options{Transport: internet{"https://files.example": files, "http://other.example": files, "http://127.0.0.1:8080": files}})
	get := func(address, digest string, keys ...minisig.Key) (*registry.Pulled, error) {
		return c.Download(t.Context(), address, digest, keys...)
	}
	right := digestOf(module)
	for _, address := range []string{
		"https://files.example/redact.wasm", "https://files.example/redact.wasm?v=1", "http://127.0.0.1:8080/redact.wasm", "https://files.example/moved.wasm",
	} {
		pulled, err := get(address, right)
		require.NoError(t, err)
		require.Equal(t, module, pulled.Bytes)
		require.Empty(t, pulled.Manifest)
	}
	pulled, err := get("https://files.example/redact.wasm", right, newKey(t).Public(), key.Public())
	require.NoError(t, err)
	require.Equal(t, key.Public().String(), pulled.Signature.By.String())

	for _, test := range []struct {
		address string
		kind    error
	}{
		{"https://files.example/missing.wasm", registry.ErrNotFound},
		{"https://files.example/huge.wasm", registry.ErrTooLarge},
		{"https://files.example/declared.wasm", registry.ErrTooLarge},
		{"https://files.example/away.wasm", registry.ErrInsecure},
		{"https://files.example/redact.wasm.minisig", registry.ErrDigest},
	} {
		_, err := get(test.address, right)
		require.ErrorIs(t, err, test.kind, test.address)
		require.ErrorContains(t, err, test.address)
	}
	_, err = get("https://files.example/redact.wasm", right, newKey(t).Public())
	require.ErrorIs(t, err, plugin.ErrSignature)
	_, err = get("https://files.example/moved.wasm", right, key.Public())
	require.ErrorIs(t, err, plugin.ErrSignature, "there is no signature")
	for _, address := range []string{"http://files.example/redact.wasm", "https://", "/redact.wasm", "https://ada:secret@files.example/redact.wasm", "file:///redact.wasm"} {
		_, err := get(address, right)
		require.Error(t, err, address)
		require.NotContains(t, err.Error(), "secret")
	}
}
