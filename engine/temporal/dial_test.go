package temporal_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agenthost/agenthost/engine/temporal"
)

// A connection shows its certificate and its API key. The server here speaks HTTP/2 and refuses every call.
func TestAConnectionShowsWhoItIs(t *testing.T) {
	t.Parallel()
	var lock sync.Mutex
	var keys []string
	certificates := 0
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		lock.Lock()
		defer lock.Unlock()
		keys, certificates = append(keys, r.Header.Get("Authorization")), len(r.TLS.PeerCertificates)
		w.WriteHeader(http.StatusForbidden)
	}))
	server.EnableHTTP2, server.TLS = true, &tls.Config{ClientAuth: tls.RequireAnyClientCert, MinVersion: tls.VersionTLS12}
	server.StartTLS()
	t.Cleanup(server.Close)
	dir := t.TempDir()
	pair := server.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	require.NoError(t, err)
	files := temporal.TLS{
		CAFile: filepath.Join(dir, "ca.pem"), CertFile: filepath.Join(dir, "cert.pem"), KeyFile: filepath.Join(dir, "key.pem"), ServerName: "example.com",
	}
	for path, block := range map[string]*pem.Block{
		files.CAFile: {Type: "CERTIFICATE", Bytes: pair.Certificate[0]}, files.CertFile: {Type: "CERTIFICATE", Bytes: pair.Certificate[0]},
		files.KeyFile: {Type: "PRIVATE KEY", Bytes: key},
	} {
		require.NoError(t, os.WriteFile(path, pem.EncodeToMemory(block), 0o600))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	_, err = temporal.Dial(ctx, temporal.Server{
		Address: server.Listener.Addr().String(), TLS: &files, APIKey: func(context.Context) (string, error) { return "secret", nil },
	})
	require.ErrorContains(t, err, "temporal: "+server.Listener.Addr().String()+", namespace default: ")
	require.NotContains(t, err.Error(), "secret")
	lock.Lock()
	defer lock.Unlock()
	require.Contains(t, keys, "Bearer secret")
	require.Equal(t, 1, certificates)
}

func TestCertificatesThatCannotBe(t *testing.T) {
	t.Parallel()
	text := filepath.Join(t.TempDir(), "text.pem")
	require.NoError(t, os.WriteFile(text, []byte("no certificate"), 0o600))
	for want, files := range map[string]temporal.TLS{
		"name both files, or none":              {CertFile: text},
		"has no certificate in PEM form":        {CAFile: text},
		"missing.pem":                           {CAFile: "missing.pem"},
		"failed to find any PEM data in certif": {CertFile: text, KeyFile: text},
	} {
		_, err := temporal.Dial(t.Context(), temporal.Server{TLS: &files})
		require.ErrorContains(t, err, want)
	}
}
